//! The binary chunk with its accessors.

use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::View;
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Buffer, Index, Root};

/// The bytes so far, always a multiple of four, so that every accessor is aligned.
#[derive(Debug, Default)]
pub struct Bin {
    bytes: Vec<u8>,
}

impl Bin {
    /// Adds vectors of `N` numbers.
    pub fn floats<const N: usize>(&mut self, root: &mut Root, vectors: &[[f32; N]]) -> Index<Accessor> {
        let buffer_view = self.view(root, vectors.iter().flatten().flat_map(|number| number.to_le_bytes()));
        root.push(Accessor { count: vectors.len().into(), type_: type_of(N), ..accessor(buffer_view) })
    }

    /// Adds vectors of `N` numbers with their component-wise minima and maxima, required for positions and
    /// times.
    pub fn floats_with_range<const N: usize>(
        &mut self,
        root: &mut Root,
        vectors: &[[f32; N]],
    ) -> Index<Accessor> {
        let fold = |start: f32, pick: fn(f32, f32) -> f32| {
            let range =
                vectors.iter().fold([start; N], |all, one| std::array::from_fn(|k| pick(all[k], one[k])));
            Some(serde_json::Value::from(range.to_vec()))
        };
        let (min, max) = (fold(f32::INFINITY, f32::min), fold(f32::NEG_INFINITY, f32::max));
        let index = self.floats(root, vectors);
        let added = &mut root.accessors[index.value()];
        (added.min, added.max) = (min, max);
        index
    }

    /// Adds vertex indices.
    pub fn indices(&mut self, root: &mut Root, numbers: &[u32]) -> Index<Accessor> {
        let buffer_view = self.view(root, numbers.iter().flat_map(|number| number.to_le_bytes()));
        let component_type = Checked::Valid(GenericComponentType(ComponentType::U32));
        root.push(Accessor { count: numbers.len().into(), component_type, ..accessor(buffer_view) })
    }

    /// Adds four joint indices per vertex.
    pub fn joints(&mut self, root: &mut Root, vectors: &[[u16; 4]]) -> Index<Accessor> {
        let buffer_view = self.view(root, vectors.iter().flatten().flat_map(|number| number.to_le_bytes()));
        let component_type = Checked::Valid(GenericComponentType(ComponentType::U16));
        let type_ = Checked::Valid(Type::Vec4);
        root.push(Accessor { count: vectors.len().into(), component_type, type_, ..accessor(buffer_view) })
    }

    fn view(&mut self, root: &mut Root, bytes: impl Iterator<Item = u8>) -> Index<View> {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        root.push(View {
            buffer: Index::new(0),
            byte_length: (self.bytes.len() - start).into(),
            byte_offset: Some(start.into()),
            byte_stride: None,
            name: None,
            target: None,
            extensions: None,
            extras: Default::default(),
        })
    }

    /// Assembles the file: header, JSON padded with spaces, binary chunk.
    ///
    /// # Panics
    /// If it is larger than 4 GiB.
    pub fn into_file(self, mut root: Root) -> Vec<u8> {
        if !self.bytes.is_empty() {
            root.buffers.push(Buffer {
                byte_length: self.bytes.len().into(),
                name: None,
                uri: None,
                extensions: None,
                extras: Default::default(),
            });
        }
        let mut json = serde_json::to_vec(&root).expect("names and numbers can be written");
        json.resize(json.len().next_multiple_of(4), b' ');
        let length = 12 + 8 + json.len() + if self.bytes.is_empty() { 0 } else { 8 + self.bytes.len() };
        let length = u32::try_from(length).expect("a GLB holds at most 4 GiB");
        let mut file = Vec::with_capacity(length as usize);
        file.extend(b"glTF");
        file.extend([2, length].into_iter().flat_map(u32::to_le_bytes));
        file.extend((json.len() as u32).to_le_bytes());
        file.extend(b"JSON");
        file.extend(json);
        if !self.bytes.is_empty() {
            file.extend((self.bytes.len() as u32).to_le_bytes());
            file.extend(b"BIN\0");
            file.extend(self.bytes);
        }
        file
    }
}

fn type_of(components: usize) -> Checked<Type> {
    Checked::Valid(match components {
        1 => Type::Scalar,
        2 => Type::Vec2,
        3 => Type::Vec3,
        4 => Type::Vec4,
        16 => Type::Mat4,
        _ => unreachable!("vectors here have 1 to 4 components, matrices 16"),
    })
}

fn accessor(view: Index<View>) -> Accessor {
    Accessor {
        buffer_view: Some(view),
        byte_offset: None,
        count: USize64(0),
        component_type: Checked::Valid(GenericComponentType(ComponentType::F32)),
        extensions: None,
        extras: Default::default(),
        type_: Checked::Valid(Type::Scalar),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
    }
}
