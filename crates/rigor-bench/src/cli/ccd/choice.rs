//! Selection of methods by name.

use super::super::CliError;
use crate::ccd::AnsweredQuery;
use rigor_ccd::{LinearQuery, RigidQuery};
use rigor_file::closest;

/// The chosen methods, by type of query.
#[derive(Debug, Clone)]
pub struct Choice {
    pub linear: Vec<<LinearQuery as AnsweredQuery>::Method>,
    pub rigid: Vec<<RigidQuery as AnsweredQuery>::Method>,
}

/// The methods with these `names`, of either type of query, or all methods if `names` is empty.
///
/// # Errors
/// A method does not exist.
pub fn choose(names: &[String]) -> Result<Choice, CliError> {
    if let Some(name) = names.iter().find(|name| !all_names().contains(&name.as_str())) {
        let meant = closest(name, all_names());
        let known = format!("methods are {}", all_names().join(", "));
        let help = meant.map_or(known, |near| format!("did you mean {near:?}?"));
        return Err(CliError::new(format!("there is no method {name:?}")).with_help(help));
    }
    Ok(Choice { linear: of::<LinearQuery>(names), rigid: of::<RigidQuery>(names) })
}

fn of<Q: AnsweredQuery>(names: &[String]) -> Vec<Q::Method> {
    let is_chosen =
        |method: &Q::Method| names.is_empty() || names.iter().any(|name| name == Q::name(*method));
    Q::methods().iter().copied().filter(is_chosen).collect()
}

/// Every method name once, those for linear queries first.
fn all_names() -> Vec<&'static str> {
    let mut names: Vec<_> = LinearQuery::methods().iter().map(|m| LinearQuery::name(*m)).collect();
    for name in RigidQuery::methods().iter().map(|m| RigidQuery::name(*m)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_chooses_the_methods_that_bear_it() {
        let all = choose(&[]).unwrap();
        assert_eq!(
            (all.linear.len(), all.rigid.len()),
            (LinearQuery::methods().len(), RigidQuery::methods().len())
        );
        let one = choose(&["separating-plane".into()]).unwrap();
        assert_eq!((one.linear.len(), one.rigid.len()), (1, 1));
        let error = choose(&["seperating-plane".into()]).unwrap_err();
        assert!(error.render().contains("did you mean \"separating-plane\""), "{}", error.render());
    }
}
