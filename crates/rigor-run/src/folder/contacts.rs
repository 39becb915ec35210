//! `contacts.csv`: one line per contact of every kept frame.
//!
//! | column | content |
//! | --- | --- |
//! | `step`, `time_s` | number of the step that ended, and its time (s) |
//! | `body_a`, `body_b` | the bodies, numbered from 0 as in `trajectory.npz` |
//! | `point_x_m`, … | contact point (m, world) |
//! | `normal_x`, … | unit normal from b towards a (world) |
//! | `distance_m` | gap along the normal (m); negative: penetration |
//! | `normal_force_n` | normal force on a, along the normal (N) |
//! | `friction_force_x_n`, … | friction force on a (N, world) |
//! | `slip_velocity_x_m_s`, … | velocity of a relative to b, tangential to the surfaces (m/s, world) |
//!
//! Forces are means over the step. Numbers are those of the [`ContactReport`], bit for bit.

use rigor_scene::ContactReport;

use super::table::{TableRow, number, vector};

impl TableRow for ContactReport {
    const COLUMNS: &'static str = "body_a,body_b,point_x_m,point_y_m,point_z_m,normal_x,normal_y,normal_z,distance_m,\
        normal_force_n,friction_force_x_n,friction_force_y_n,friction_force_z_n,\
        slip_velocity_x_m_s,slip_velocity_y_m_s,slip_velocity_z_m_s";

    fn cells(&self) -> Vec<String> {
        vec![
            self.body_a.0.to_string(),
            self.body_b.0.to_string(),
            vector(&self.point_world),
            vector(&self.normal_world),
            number(self.distance),
            number(self.normal_force),
            vector(&self.friction_force_world),
            vector(&self.slip_velocity_world),
        ]
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;
    use rigor_scene::BodyId;

    use super::*;

    #[test]
    fn every_number_has_its_column() {
        let contact = ContactReport {
            body_a: BodyId(2),
            body_b: BodyId(0),
            point_world: Vec3::new(1.0, 2.0, 3.0),
            normal_world: Vec3::y(),
            distance: 0.001,
            normal_force: 80.0,
            friction_force_world: Vec3::new(-3.0, 0.0, 0.5),
            slip_velocity_world: Vec3::x(),
            friction: (0.5, 0.5),
        };
        let line = contact.cells().join(",");
        assert_eq!(line, "2,0,1,2,3,0,1,0,1e-3,80,-3,0,5e-1,1,0,0");
        assert_eq!(line.split(',').count(), ContactReport::COLUMNS.split(',').count());
    }
}
