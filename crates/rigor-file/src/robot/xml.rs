//! XML that knows which of its parts were read.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use roxmltree::{Document, Node};

use super::account::RULE;
use super::vocabulary::{MJCF, URDF, Vocabulary};
use super::{Dropped, Place};
use crate::error::{Finding, SceneError};
use crate::{Files, document_type, read};

/// Maximum number of files that include each other.
const MAX_FILES: usize = 100;

/// The texts of a file and of those that it includes.
pub struct Texts {
    files: Vec<(PathBuf, String)>,
    /// What was mended, by file.
    mended: Vec<(PathBuf, String)>,
}

impl Texts {
    /// Reads the file at `path` and all that `include` elements name.
    ///
    /// # Errors
    /// A file cannot be read or is not text, or too many include each other.
    pub fn read(path: &Path, files: &dyn Files) -> Result<Self, SceneError> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut texts: Vec<(PathBuf, String)> = Vec::new();
        let mut mended_files = Vec::new();
        let mut queue = vec![path.to_owned()];
        while let Some(path) = queue.pop() {
            if texts.iter().any(|(known, _)| *known == path) {
                continue;
            }
            if texts.len() == MAX_FILES {
                return Err(Finding::of_file(
                    &path,
                    format!("more than {MAX_FILES} files include each other"),
                )
                .into());
            }
            let bytes = read::bytes(&path, files).map_err(|why| Finding::of_file(&path, why))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Finding::of_file(&path, "the file is not text in UTF-8"))?;
            let (text, told) = mended(text).map_err(|why| Finding::of_file(&path, why))?;
            mended_files.extend(told.into_iter().map(|what| (path.clone(), what)));
            let document = parse(&path, &text)?;
            let included = document.descendants().filter(|node| is_file_of(node));
            queue.extend(included.filter_map(|node| node.attribute("file")).map(|name| folder.join(name)));
            texts.push((path, text));
        }
        Ok(Self { files: texts, mended: mended_files })
    }

    /// Parses the texts.
    ///
    /// # Errors
    /// A text is not XML.
    pub fn parse(&self) -> Result<Vec<Document<'_>>, SceneError> {
        self.files.iter().map(|(path, text)| parse(path, text)).collect()
    }
}

/// Whether an element names another file of the model.
fn is_file_of(node: &Node<'_, '_>) -> bool {
    let in_asset = || node.parent().is_some_and(|parent| parent.has_tag_name("asset"));
    node.has_tag_name("include") || (node.has_tag_name("model") && in_asset())
}

fn parse<'t>(path: &Path, text: &'t str) -> Result<Document<'t>, SceneError> {
    /// Maximum number of elements within each other.
    const MAX_DEPTH: usize = 500;
    let document =
        Document::parse(text).map_err(|error| Finding::of_file(path, format!("not XML: {error}")))?;
    let (mut at, mut depth) = (document.root(), 0);
    loop {
        if depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} elements within each other");
            return Err(Finding::at(path, &text.into(), at.range(), message).into());
        }
        if let Some(child) = at.first_child() {
            (at, depth) = (child, depth + 1);
            continue;
        }
        while at.next_sibling().is_none() {
            let Some(parent) = at.parent() else { return Ok(document) };
            (at, depth) = (parent, depth - 1);
        }
        if let Some(next) = at.next_sibling() {
            at = next;
        }
    }
}

/// Returns `text` with what other readers overlook mended, and what was: space before the declaration, a byte order mark, prefixes
/// that are not declared, a document type, and tags that close an element after the root. Lines keep their numbers.
///
/// # Errors
/// The document type declares something.
fn mended(mut text: String) -> Result<(String, Vec<String>), String> {
    /// Maximum number of prefixes that are declared.
    const MAX_PREFIXES: usize = 50;
    let mut told = Vec::new();
    if let Some(rest) = text.strip_prefix('\u{feff}') {
        text = rest.to_owned();
    }
    if let Some(at) = text.find("<?xml").filter(|at| *at > 0 && text[..*at].trim().is_empty()) {
        // The declaration says nothing that matters here.
        let end = text[at..].find("?>").map_or(at, |end| at + end + 2);
        text.replace_range(at..end, &document_type::blank(&text[at..end]));
    }
    let (mut text, declared) = document_type::without(text)?;
    told.extend(declared);
    for _ in 0..MAX_PREFIXES {
        match Document::parse(&text) {
            Err(roxmltree::Error::UnknownNamespace(prefix, _)) => {
                let Some(at) = root_name_end(&text) else { break };
                text.insert_str(at, &format!(" xmlns:{prefix}=\"urn:undeclared:{prefix}\""));
                told.push(format!("the prefix {prefix:?} is not declared"));
            }
            Err(_) => {
                let Some(end) = root_end(&text).filter(|end| only_closes(&text[*end..])) else { break };
                text.truncate(end);
                told.push("elements are closed after the end of the root element".into());
            }
            Ok(_) => break,
        }
    }
    Ok((text, told))
}

/// Returns the tags of `text` outside of comments, each with its place.
fn tags(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find('<')?;
            let rest = &text[start..];
            let close = ["<!--", "<![CDATA[", "<?"]
                .iter()
                .zip(["-->", "]]>", "?>"])
                .find(|(open, _)| rest.starts_with(**open));
            let end = match close {
                Some((_, close)) => rest.find(close)? + close.len(),
                None => rest.find('>')? + 1,
            };
            at = start + end;
            if close.is_none() && !rest.starts_with("<!") {
                return Some((start, &rest[..end]));
            }
        }
    })
}

/// Whether `tail` is not empty and has nothing but tags that close elements.
fn only_closes(tail: &str) -> bool {
    let mut rest = tail.trim();
    let is_empty = rest.is_empty();
    while let Some(end) = rest.find('>').filter(|_| rest.starts_with("</")) {
        rest = rest[end + 1..].trim_start();
    }
    rest.is_empty() && !is_empty
}

/// Returns where the name of the root element ends.
fn root_name_end(text: &str) -> Option<usize> {
    let (at, tag) = tags(text).next()?;
    Some(at + 1 + tag[1..].find(|c: char| c.is_whitespace() || c == '>' || c == '/')?)
}

/// What to do with a file that has instructions or expressions of xacro.
const XACRO: &str = "the file is a template of xacro: expand it with `xacro FILE > robot.urdf`";

/// Whether an element is an instruction of xacro.
fn is_of_xacro(node: &Node<'_, '_>) -> bool {
    node.is_element() && node.tag_name().namespace().is_some_and(|namespace| namespace.contains("xacro"))
}

/// Returns where the root element ends.
fn root_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, tag) in tags(text) {
        if tag.starts_with("</") {
            depth = depth.checked_sub(1)?;
        } else if !tag.ends_with("/>") {
            depth += 1;
        }
        if depth == 0 {
            return Some(at + tag.len());
        }
    }
    None
}

/// Documents, and what of them was read.
pub struct Sheet<'a> {
    texts: &'a Texts,
    documents: &'a [Document<'a>],
    elements: RefCell<BTreeSet<(usize, u32)>>,
    attributes: RefCell<BTreeSet<(usize, u32, String)>>,
    reasons: RefCell<Vec<Dropped>>,
}

/// An element.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    sheet: &'a Sheet<'a>,
    file: usize,
    node: Node<'a, 'a>,
}

impl<'a> Sheet<'a> {
    /// Nothing was read.
    pub fn new(texts: &'a Texts, documents: &'a [Document<'a>]) -> Self {
        let (elements, attributes) = (RefCell::default(), RefCell::default());
        Self { texts, documents, elements, attributes, reasons: RefCell::default() }
    }

    /// The root element of the first file.
    pub fn root(&'a self) -> Element<'a> {
        Element { sheet: self, file: 0, node: self.documents[0].root_element() }.marked()
    }

    /// The elements and attributes that were not read, with the reason.
    pub fn unread(&self) -> Vec<Dropped> {
        let mut dropped = self.reasons.take();
        dropped.extend(self.texts.mended.iter().map(|(file, what)| Dropped {
            file: file.clone(),
            place: Place::Line(1),
            what: what.clone(),
            why: format!("{RULE}read as if there were none"),
        }));
        let vocabulary = if self.root().name() == "robot" { &URDF } else { &MJCF };
        for (file, document) in self.documents.iter().enumerate() {
            self.unread_below(file, document.root_element(), vocabulary, &mut dropped);
        }
        dropped
    }

    fn unread_below(
        &self,
        file: usize,
        node: Node<'_, '_>,
        vocabulary: &Vocabulary,
        dropped: &mut Vec<Dropped>,
    ) {
        let id = node.id().get();
        let tell = |at: usize, what: String, why: String| Dropped {
            file: self.texts.files[file].0.clone(),
            place: Place::Line(node.document().text_pos_at(at).row as usize),
            what,
            why,
        };
        let name = node.tag_name().name();
        let parent = node.parent().map_or("", |parent| parent.tag_name().name());
        if is_of_xacro(&node) {
            let why = format!("an instruction, which is not followed: {XACRO}");
            dropped.push(tell(node.range().start, format!("<xacro:{name}>"), why));
            return;
        }
        if !self.elements.borrow().contains(&(file, id)) {
            dropped.push(tell(node.range().start, format!("<{name}>"), vocabulary.of_element(parent, name)));
            return;
        }
        for attribute in node.attributes() {
            let key = (file, id, attribute.name().to_owned());
            if self.attributes.borrow().contains(&key) || attribute.name() == "name" {
                continue;
            }
            if let Some(why) = vocabulary.of_attribute([parent, name], attribute.name(), attribute.value()) {
                dropped.push(tell(attribute.range().start, format!("<{name} {}>", attribute.name()), why));
            }
        }
        node.children()
            .filter(Node::is_element)
            .for_each(|child| self.unread_below(file, child, vocabulary, dropped));
    }
}

impl<'a> Element<'a> {
    fn marked(self) -> Self {
        self.sheet.elements.borrow_mut().insert((self.file, self.node.id().get()));
        self
    }

    /// The name of the element.
    pub fn name(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.node.document().text_pos_at(self.node.range().start).row as usize
    }

    /// The child elements, those of included files in the place of `include`; they are not marked as read.
    pub fn children(&self) -> Vec<Self> {
        let mut children = Vec::new();
        for node in self.node.children().filter(Node::is_element) {
            let child = Self { node, ..*self };
            let included = (child.name() == "include").then(|| child.included()).flatten();
            match included {
                Some(root) => children.extend(root.children()),
                None => children.push(child),
            }
        }
        children
    }

    /// The root of the file that an `include` names.
    fn included(&self) -> Option<Self> {
        let name = self.marked().text("file")?;
        let folder = self.sheet.texts.files[0].0.parent().unwrap_or(Path::new(""));
        let path = folder.join(name);
        // A file that includes itself, directly or not, is read once at each place above it only.
        let file =
            self.sheet.texts.files.iter().position(|(known, _)| *known == path).filter(|i| *i > self.file)?;
        Some(Self { sheet: self.sheet, file, node: self.sheet.documents[file].root_element() }.marked())
    }

    /// The root of the file that a `model` names, and the folder of it, as the name says.
    pub fn model(&self) -> Option<(Self, String)> {
        let name = self.marked().text("file")?;
        let folder = self.sheet.texts.files[0].0.parent().unwrap_or(Path::new(""));
        let path = folder.join(name);
        let file = self.sheet.texts.files.iter().position(|(known, _)| *known == path)?;
        let root = Self { sheet: self.sheet, file, node: self.sheet.documents[file].root_element() }.marked();
        let within = name.rsplit_once('/').map_or("", |(within, _)| within);
        Some((root, within.to_owned()))
    }

    /// The child elements of this name, marked as read.
    pub fn all(&self, name: &'a str) -> impl Iterator<Item = Self> + use<'a> {
        self.children().into_iter().filter(move |child| child.name() == name).map(Self::marked)
    }

    /// The first child element of this name, marked as read.
    pub fn child(&self, name: &str) -> Option<Self> {
        self.children().into_iter().find(|child| child.name() == name).map(Self::marked)
    }

    /// The text of an attribute, not marked as read.
    pub fn peek(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// The first child element of this name, not marked as read.
    pub fn peek_child(&self, name: &str) -> Option<Self> {
        self.children().into_iter().find(|child| child.name() == name)
    }

    /// Marks the element as read.
    pub fn read(self) -> Self {
        self.marked()
    }

    /// The text of an attribute, marked as read.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        let text = self.node.attribute(name)?;
        self.sheet.attributes.borrow_mut().insert((self.file, self.node.id().get(), name.to_owned()));
        Some(text)
    }

    /// Numbers of an attribute.
    ///
    /// # Errors
    /// A word is not a finite number.
    pub fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, SceneError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        self.numbers_in(name, text).map(Some)
    }

    /// The numbers in the text of the attribute `name` of this element.
    ///
    /// # Errors
    /// A word is not a finite number.
    pub fn numbers_in(&self, name: &str, text: &str) -> Result<Vec<f64>, SceneError> {
        let number = |word: &str| word.parse().ok().filter(|x: &f64| x.is_finite());
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
        numbers.ok_or_else(|| self.error(format!("{name}=\"{text}\": expected finite numbers")))
    }

    /// Three numbers of an attribute.
    ///
    /// # Errors
    /// There are not three finite numbers.
    pub fn vector(&self, name: &str) -> Result<Option<[f64; 3]>, SceneError> {
        let wrong = |numbers: Vec<f64>| {
            self.error(format!("{name}: expected three numbers, found {}", numbers.len()))
        };
        self.numbers(name)?.map(|numbers| <[f64; 3]>::try_from(numbers).map_err(wrong)).transpose()
    }

    /// One number of an attribute.
    ///
    /// # Errors
    /// There is not one finite number.
    pub fn number(&self, name: &str) -> Result<Option<f64>, SceneError> {
        match self.numbers(name)?.as_deref() {
            None => Ok(None),
            Some([number]) => Ok(Some(*number)),
            Some(other) => Err(self.error(format!("{name}: expected one number, found {}", other.len()))),
        }
    }

    /// An error at this element.
    pub fn error(&self, message: impl Into<String>) -> SceneError {
        let (path, text) = &self.sheet.texts.files[self.file];
        let finding = Finding::at(path, &text.as_str().into(), self.node.range(), message)
            .with_key(format!("<{}>", self.name()));
        let has_expression =
            self.node.attributes().any(|a| a.value().contains("${") || a.value().contains("$("));
        let is_template = has_expression || self.node.document().descendants().any(|node| is_of_xacro(&node));
        if is_template { finding.with_help(XACRO).into() } else { finding.into() }
    }

    /// Lists the element as left out with all that is in it, for a reason of its own.
    pub fn drop_whole(&self, what: impl Into<String>, why: impl Into<String>) {
        self.drop(what, why);
        let mut marked = self.sheet.elements.borrow_mut();
        let mut attributes = self.sheet.attributes.borrow_mut();
        for node in self.node.descendants().filter(Node::is_element) {
            marked.insert((self.file, node.id().get()));
            for attribute in node.attributes() {
                attributes.insert((self.file, node.id().get(), attribute.name().to_owned()));
            }
        }
    }

    /// Lists the element as left out or changed, for a reason of its own.
    pub fn drop(&self, what: impl Into<String>, why: impl Into<String>) {
        self.marked();
        let (file, place) = self.place();
        self.sheet.reasons.borrow_mut().push(Dropped { file, place, what: what.into(), why: why.into() });
    }

    /// The file, and where the element is there.
    pub fn place(&self) -> (PathBuf, Place) {
        (self.sheet.texts.files[self.file].0.clone(), Place::Line(self.line()))
    }
}
