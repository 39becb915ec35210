//! Grains: particles of the scene as balls with their own spin, in arrays sorted by cell.
//!
//! A scene can have very many of them, so contacts of grains with each other and with flat walls have a path
//! of their own. Next to dynamic bodies, and at edges of obstacles, a grain is a [`Mover`](crate::mover) with
//! one particle in addition, whose forces are added to those found here.

pub(crate) mod batch;
pub(crate) mod block;
pub(crate) mod granular;
pub(crate) mod kind;
pub(crate) mod list;
pub(crate) mod order;
pub(crate) mod plane;
pub(crate) mod recall;
pub(crate) mod row;
pub(crate) mod vibration;
