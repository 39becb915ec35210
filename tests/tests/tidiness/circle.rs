//! Imports between the files of a crate: they form no circle.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::workspace::{Text, texts};

/// The modules that each module imports from. A module is a path such as `folder::record`.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Collects the paths that the code of one file names, as segments from the root of the crate.
struct Names<'a> {
    /// Segments of the module of the file, and of modules written within it.
    here: Vec<String>,
    modules: &'a BTreeSet<String>,
    found: Vec<Vec<String>>,
}

impl Names<'_> {
    /// Adds a path if it begins with `crate`, `self`, `super` or a module below this one.
    fn add(&mut self, path: &[String]) {
        let below = |name: &String| [&self.here[..], std::slice::from_ref(name)].concat();
        let absolute = match path {
            [first, rest @ ..] if first == "crate" => rest.to_vec(),
            [first, rest @ ..] if first == "self" => [&self.here, rest].concat(),
            [first, ..] if first == "super" => {
                let up = path.iter().take_while(|segment| *segment == "super").count();
                [&self.here[..self.here.len().saturating_sub(up)], &path[up..]].concat()
            }
            [first, rest @ ..] if !rest.is_empty() && self.modules.contains(&below(first).join("::")) => {
                [&below(first), rest].concat()
            }
            _ => return,
        };
        self.found.push(absolute);
    }

    fn add_tree(&mut self, prefix: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.add(&with(&name.ident)),
            syn::UseTree::Rename(rename) => self.add(&with(&rename.ident)),
            syn::UseTree::Glob(_) => self.add(prefix),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(prefix, tree)),
        }
    }
}

/// Whether an item is compiled for tests only.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            self.here.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.here.pop();
        }
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        if !is_for_tests(&import.attrs) {
            self.add_tree(&[], &import.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }
}

/// Returns the imports between the files of one crate, given by their paths below `src`.
///
/// The root module is left out: it declares and re-exports all others. So are modules for tests, and what a module imports
/// from those above it: a folder and the file of its name are one room.
fn imports(files: &[Text]) -> Imports {
    let module = |path: &str| path.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
    let is_library = |text: &&Text| !matches!(&*module(&text.path), "lib" | "main") && !is_test(&text.path);
    let modules: BTreeSet<String> = files.iter().filter(is_library).map(|text| module(&text.path)).collect();
    let resolve = |path: &[String]| {
        (1..=path.len()).rev().map(|n| path[..n].join("::")).find(|candidate| modules.contains(candidate))
    };
    let mut imports = Imports::new();
    for text in files.iter().filter(is_library) {
        let own = module(&text.path);
        let here = own.split("::").map(str::to_owned).collect();
        let mut names = Names { here, modules: &modules, found: Vec::new() };
        names.visit_file(&syn::parse_file(&text.text).unwrap_or_else(|e| panic!("{}: {e}", text.path)));
        let is_above = |target: &String| own == *target || own.starts_with(&format!("{target}::"));
        let targets = names.found.iter().filter_map(|path| resolve(path)).filter(|target| !is_above(target));
        imports.insert(own.clone(), targets.collect());
    }
    imports
}

fn is_test(path: &str) -> bool {
    path.split(['/', '.']).any(|part| part == "tests" || part == "testing")
}

/// Returns the modules that `from` imports, directly or through others.
fn reachable(imports: &Imports, from: &str) -> BTreeSet<String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for target in &imports[module] {
            if found.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    found
}

/// Returns a complaint about each circle, with the imports that form it.
fn check(krate: &str, files: &[Text]) -> Vec<String> {
    let imports = imports(files);
    let reach: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|module| (module, reachable(&imports, module))).collect();
    let mut complaints = Vec::new();
    let mut told = BTreeSet::new();
    for (module, targets) in &reach {
        if !targets.contains(*module) || !told.insert((*module).clone()) {
            continue;
        }
        let circle: BTreeSet<&String> = reach
            .keys()
            .copied()
            .filter(|other| targets.contains(*other) && reach[*other].contains(*module))
            .collect();
        told.extend(circle.iter().map(|other| (*other).clone()));
        for from in &circle {
            let to: Vec<&str> =
                imports[*from].iter().filter(|to| circle.contains(to)).map(String::as_str).collect();
            complaints.push(format!("{krate}: {from} imports {} in a circle", to.join(", ")));
        }
    }
    complaints
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut crates: BTreeMap<String, Vec<Text>> = BTreeMap::new();
    for Text { path, text } in texts("crates", "rs") {
        if let Some((krate, file)) = path.trim_start_matches("crates/").split_once("/src/") {
            crates.entry(krate.to_owned()).or_default().push(Text { path: file.to_owned(), text });
        }
    }
    let complaints: Vec<String> = crates.iter().flat_map(|(krate, files)| check(krate, files)).collect();
    crate::assert_none(&complaints);
}

#[test]
fn a_circle_is_found() {
    let text = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
    let files = |back: &str| {
        [
            text("lib.rs", "mod a; mod b; pub use a::A;"),
            text("a.rs", "use crate::b::c::{C, D as E};"),
            text("b.rs", "mod c; pub fn f() { c::g() }"),
            text("b/c.rs", back),
        ]
    };
    for straight in
        ["", "#[cfg(test)] mod tests { use crate::a::A; }", "#[cfg(test)] use crate::a;", "use crate::A;"]
    {
        assert_eq!(check("x", &files(straight)), Vec::<String>::new(), "{straight}");
    }
    for circle in ["use crate::a::A;", "fn g(_: super::super::a::A) {}"] {
        assert_eq!(check("x", &files(circle)).len(), 2, "{circle}");
    }
}
