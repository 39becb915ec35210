//! `joints.csv`: one line per joint of every kept frame.
//!
//! | column | content |
//! | --- | --- |
//! | `step`, `time_s` | number of the step that ended, and its time (s) |
//! | `joint` | the joint, numbered from 0 in the order of the scene |
//! | `force_x_n`, … | force on body a at the origin of its frame A (N, world) |
//! | `torque_x_n_m`, … | torque on body a, excluding that of the force (N m, world) |
//! | `position_error_m` | distance error at the end of the step, including excess beyond a bound (m) |
//! | `angle_error_rad` | angle error at the end of the step, including excess beyond a bound (rad) |
//! | `turn_rad` | turn at the end of the step, counted over whole turns (rad); empty where the method does not count it |
//! | `broken` | 1 if the joint is broken at the end of the step, else 0 |
//!
//! Forces and torques are means over the step. Numbers are those of the [`JointReport`], bit for bit. The
//! table is empty if the method has no joints.

use rigor_scene::JointReport;

use super::table::{TableRow, number, vector};

impl TableRow for JointReport {
    const COLUMNS: &'static str = "joint,force_x_n,force_y_n,force_z_n,torque_x_n_m,torque_y_n_m,torque_z_n_m,\
        position_error_m,angle_error_rad,turn_rad,broken";

    fn cells(&self) -> Vec<String> {
        vec![
            self.joint.to_string(),
            vector(&self.force_world),
            vector(&self.torque_world),
            number(self.position_error),
            number(self.angle_error),
            self.turn.map_or_else(String::new, number),
            u8::from(self.broken).to_string(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    #[test]
    fn every_number_has_its_column() {
        let joint = JointReport {
            joint: 3,
            force_world: Vec3::new(1.0, 2.0, -3.0),
            torque_world: Vec3::new(0.0, 0.5, 4.0),
            position_error: 0.001,
            angle_error: 0.0,
            turn: Some(7.5),
            broken: true,
        };
        let line = joint.cells().join(",");
        assert_eq!(line, "3,1,2,-3,0,5e-1,4,1e-3,0,7.5e0,1");
        assert_eq!(line.split(',').count(), JointReport::COLUMNS.split(',').count());
    }
}
