//! Outward-rounded intervals, elementary functions on them, and vectors and rigid motions of them.
