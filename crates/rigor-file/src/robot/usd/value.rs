//! Values of attributes as the scene needs them.

use openusd::sdf::Value;
use rigor_math::Vec3;

/// A number of single precision as its author wrote it: 0.1 and not 0.100000001.
fn widened(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

/// A number, which may be infinite.
pub fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Double(x) => *x,
        Value::Float(x) => widened(*x),
        Value::Half(x) => x.to_f64(),
        Value::Int(x) => f64::from(*x),
        Value::Uint(x) => f64::from(*x),
        Value::Int64(x) => *x as f64,
        Value::Uint64(x) => *x as f64,
        _ => return None,
    };
    (!number.is_nan()).then_some(number)
}

/// Three numbers, which may be infinite.
pub fn vector(value: &Value) -> Option<[f64; 3]> {
    let vector = match value {
        Value::Vec3d(v) => [v.x, v.y, v.z],
        Value::Vec3f(v) => [v.x, v.y, v.z].map(widened),
        Value::Vec3h(v) => [v.x, v.y, v.z].map(openusd::gf::f16::to_f64),
        Value::Vec3i(v) => [v.x, v.y, v.z].map(f64::from),
        _ => return None,
    };
    vector.iter().all(|x| !x.is_nan()).then_some(vector)
}

/// Four finite numbers w, x, y, z.
pub fn quaternion(value: &Value) -> Option<[f64; 4]> {
    let parts = match value {
        Value::Quatd(q) => [q.w, q.x, q.y, q.z],
        Value::Quatf(q) => [q.w, q.x, q.y, q.z].map(widened),
        Value::Quath(q) => [q.w, q.x, q.y, q.z].map(openusd::gf::f16::to_f64),
        _ => return None,
    };
    parts.iter().all(|x| x.is_finite()).then_some(parts)
}

/// Yes or no.
pub fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Int(number) => Some(*number != 0),
        _ => None,
    }
}

/// A word.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::Token(word) => Some(word.as_str().to_owned()),
        Value::String(word) => Some(word.clone()),
        _ => None,
    }
}

/// Words.
pub fn words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::TokenVec(words) => Some(words.iter().map(|word| word.as_str().to_owned()).collect()),
        Value::StringVec(words) => Some(words.clone()),
        _ => None,
    }
}

/// Whole numbers.
pub fn indices(value: &Value) -> Option<Vec<i64>> {
    match value {
        Value::IntVec(numbers) => Some(numbers.iter().map(|x| i64::from(*x)).collect()),
        Value::UintVec(numbers) => Some(numbers.iter().map(|x| i64::from(*x)).collect()),
        Value::Int64Vec(numbers) => Some(numbers.clone()),
        _ => None,
    }
}

/// Finite points.
pub fn points(value: &Value) -> Option<Vec<Vec3>> {
    let points: Vec<Vec3> = match value {
        Value::Vec3fVec(points) => points.iter().map(|p| Vec3::from([p.x, p.y, p.z].map(widened))).collect(),
        Value::Vec3dVec(points) => points.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect(),
        _ => return None,
    };
    points.iter().all(|p| p.iter().all(|x| x.is_finite())).then_some(points)
}

/// The rows of a transform of row vectors.
pub fn matrix(value: &Value) -> Option<[f64; 16]> {
    match value {
        Value::Matrix4d(matrix) => Some(matrix.0).filter(|m| m.iter().all(|x| x.is_finite())),
        _ => None,
    }
}
