//! Problems in files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{Cursor, Write};

use rigor_nonsmooth::file;
use rigor_nonsmooth::{Cone, Delassus, Mat3, Problem, Vec3};

fn two_contacts_and_a_joint() -> Problem {
    let block =
        |i: usize, j: usize| Mat3::from_fn(|a, b| if a == b { if i == j { 2.0 } else { 0.5 } } else { 0.1 });
    let blocks = (0..9).map(|k| (k / 3, k % 3, block(k / 3, k % 3))).collect();
    let q = vec![Vec3::new(-1.0, 0.5, 0.25), Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.7, 0.0, 0.1)];
    Problem::new(Delassus::new(3, blocks), q, vec![Cone::Friction(0.3), Cone::Friction(0.0), Cone::Whole])
        .unwrap()
}

#[test]
fn a_problem_comes_back_as_it_was_written() {
    let problem = two_contacts_and_a_joint();
    assert_eq!(file::read(&file::write(&problem).unwrap()), Ok(problem));
}

#[test]
fn a_planar_problem_has_two_rows_per_contact() {
    let array = |numbers: &[f64]| {
        array("<f8", &[numbers.len()], numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
    };
    let index = |numbers: &[i64]| array_of_indices(numbers);
    let bytes = zip(&[
        ("dimension", array_of_scalar(2)),
        ("row", index(&[0, 1, 2, 3, 0, 1])),
        ("column", index(&[0, 1, 2, 3, 1, 0])),
        ("value", array(&[2.0, 1.0, 3.0, 1.0, 0.5, 0.5])),
        ("q", array(&[-1.0, 0.5, -2.0, 0.0])),
        ("mu", array(&[0.5, 0.1])),
    ]);
    let problem = file::read(&bytes).unwrap();
    assert_eq!((problem.len(), problem.is_planar()), (2, true));
    assert_eq!(problem.q()[1], Vec3::new(-2.0, 0.0, 0.0));
    assert!(problem.delassus().diagonal(0)[(2, 2)] > 0.0, "rows that fill up hold themselves");
    assert_eq!(file::read(&file::write(&problem).unwrap()), Ok(problem));
}

#[test]
fn files_that_are_no_problem_are_refused_with_the_reason() {
    let array = |numbers: &[f64]| {
        array("<f8", &[numbers.len()], numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
    };
    let index = |numbers: &[i64]| array_of_indices(numbers);
    let good = || {
        vec![
            ("dimension", array_of_scalar(3)),
            ("row", index(&[0, 1, 2])),
            ("column", index(&[0, 1, 2])),
            ("value", array(&[1.0, 1.0, 1.0])),
            ("q", array(&[-1.0, 0.0, 0.0])),
            ("mu", array(&[0.5])),
        ]
    };
    type Arrays = Vec<(&'static str, Vec<u8>)>;
    let message = |change: &dyn Fn(&mut Arrays)| {
        let mut arrays = good();
        change(&mut arrays);
        file::read(&zip(&arrays)).map_err(|error| error.to_string())
    };
    assert!(message(&|_| ()).is_ok());
    let has = |found: Result<Problem, String>, what: &str| {
        let message = found.unwrap_err();
        assert!(message.contains(what), "{message}");
    };
    has(message(&|a| a.truncate(5)), "no array `mu`");
    has(message(&|a| a[0].1 = array_of_scalar(4)), "`dimension` is [4.0]");
    has(message(&|a| a[1].1 = index(&[0, 1, 3])), "`row` has 3: the rows of W are 0 to 2");
    has(message(&|a| a[2].1 = index(&[0, 1, -1])), "`column` has -1");
    has(message(&|a| a[3].1 = array(&[1.0, 1.0])), "as many");
    has(message(&|a| a[3].1 = array(&[1.0, f64::NAN, 1.0])), "W of block 0 is NaN");
    has(message(&|a| a[4].1 = array(&[-1.0])), "a contact has 3 of q");
    has(message(&|a| a[5].1 = array(&[-0.5])), "at least 0");
    has(message(&|a| a[5].1 = b"nonsense".to_vec()), "`mu`");
    let wide = self::array("<f8", &[1, 3], [0.0f64; 3].iter().flat_map(|x| x.to_le_bytes()).collect());
    has(message(&|a| a[4].1 = wide.clone()), "`q` has 2 axes");
    // An array that declares 10¹⁵ numbers.
    has(message(&|a| a[5].1 = self::array("<f8", &[1_000_000_000_000_000], vec![0; 8])), "declares");
    has(file::read(b"no archive").map_err(|error| error.to_string()), "no .npz file");
    has(file::read(&[]).map_err(|error| error.to_string()), "no .npz file");
}

#[test]
fn arrays_that_expand_without_end_are_refused_before_they_are_read() {
    // 20 MB of zeros in a file of 20 kB.
    let zeros = |n: usize| array("<f8", &[n], vec![0; 8 * n]);
    for large in ["row", "q", "mu"] {
        let arrays = ["row", "column", "value", "q", "mu"]
            .map(|name| (name, zeros(if name == large { 2_500_000 } else { 3 })));
        let mut all = vec![("dimension", array_of_scalar(3))];
        all.extend(arrays);
        let error = file::read(&zip(&all)).unwrap_err().to_string();
        assert!(error.contains("more than 10 times: write it without compression"), "{error}");
    }
    // A header of 4 GiB.
    let mut header = array("<f8", &[3], vec![0; 24]);
    header[6] = 2;
    header[8..12].fill(255);
    let error = file::read(&zip(&[("dimension", header)])).unwrap_err().to_string();
    assert!(error.contains("declares a header of 4294967295 bytes"), "{error}");
}

#[test]
fn large_problems_that_compress_well_come_back() {
    let n = 80_000;
    let diagonal = (0..n).map(|i| (i, i, Mat3::repeat(0.5) + Mat3::identity())).collect();
    let problem = Problem::new(
        Delassus::new(n, diagonal),
        vec![Vec3::new(-1.0, 0.0, 0.0); n],
        vec![Cone::Friction(0.5); n],
    )
    .unwrap();
    let bytes = file::write(&problem).unwrap();
    assert!(bytes.len() > 10_000_000, "{} bytes: compressed, it would be refused", bytes.len());
    assert_eq!(file::read(&bytes), Ok(problem));
}

fn zip(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn array(kind: &str, shape: &[usize], data: Vec<u8>) -> Vec<u8> {
    let shape: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    while (head.len() + 11) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.into_bytes());
    bytes.extend(data);
    bytes
}

fn array_of_indices(numbers: &[i64]) -> Vec<u8> {
    array("<i8", &[numbers.len()], numbers.iter().flat_map(|x| x.to_le_bytes()).collect())
}

fn array_of_scalar(number: i64) -> Vec<u8> {
    array("<i8", &[], number.to_le_bytes().to_vec())
}
