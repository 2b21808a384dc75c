//! The order of steps, by their dependencies.

use super::error::PlanError;
use super::steps::Plan;

/// Limit on the steps of one stage.
///
/// Between two stages, the deep gear sees the result of the first.
pub const MOST_PER_STAGE: usize = 12;

/// The indices of the steps, each after the steps that it waits for.
///
/// Otherwise they are in the plan's order.
///
/// Numbers that are not in the plan are ignored.
///
/// # Errors
///
/// [`PlanError::Cycle`].
pub fn order(plan: &Plan) -> Result<Vec<usize>, PlanError> {
    let steps = &plan.steps;
    let index = |number: u32| steps.iter().position(|step| step.number == number);
    let before: Vec<Vec<usize>> =
        steps.iter().map(|step| step.after.iter().filter_map(|it| index(*it)).collect()).collect();
    let mut order: Vec<usize> = Vec::with_capacity(steps.len());
    while order.len() < steps.len() {
        let is_ready =
            |at: &usize| !order.contains(at) && before[*at].iter().all(|earlier| order.contains(earlier));
        match (0..steps.len()).find(is_ready) {
            Some(at) => order.push(at),
            None => {
                let cycle = find_cycle(&before, &order);
                return Err(PlanError::Cycle(cycle.into_iter().map(|at| steps[at].number).collect()));
            }
        }
    }
    Ok(order)
}

/// A cycle among the steps that are not done.
fn find_cycle(before: &[Vec<usize>], done: &[usize]) -> Vec<usize> {
    let mut way: Vec<usize> = Vec::new();
    let mut at = (0..before.len()).find(|at| !done.contains(at));
    while let Some(step) = at {
        if let Some(start) = way.iter().position(|it| *it == step) {
            way.drain(..start);
            break;
        }
        way.push(step);
        // Each remaining step waits for another remaining step, so the path returns to itself.
        at = before[step].iter().copied().find(|it| !done.contains(it));
    }
    // Along the path each step waits for the next; people read it in the opposite direction.
    way.reverse();
    way
}

/// Divides a plan into stages of indices.
///
/// A step waits only for steps of its own stage and of earlier ones.
///
/// # Errors
///
/// [`PlanError::Cycle`].
pub fn stages(plan: &Plan) -> Result<Vec<Vec<usize>>, PlanError> {
    let order = order(plan)?;
    let count = order.len().div_ceil(MOST_PER_STAGE).max(1);
    let size = order.len().div_ceil(count).max(1);
    Ok(order.chunks(size).map(<[usize]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::super::steps::{Action, Step};
    use super::*;

    /// Checks the stages of steps that are written as `number<after,after`.
    #[track_caller]
    fn check(steps: &str, expected: &str) {
        let steps = steps.split_whitespace().map(|step| {
            let (number, after) = step.split_once('<').unwrap_or((step, ""));
            let after = after.split(',').filter(|it| !it.is_empty()).map(|it| it.parse().unwrap()).collect();
            let (path, action) = (number.to_owned(), Action::Delete);
            Step { number: number.parse().unwrap(), path, action, intent: String::new(), tag: None, after }
        });
        let plan = Plan { instruction: String::new(), steps: steps.collect() };
        let shown = match stages(&plan) {
            Err(error) => error.to_string(),
            Ok(stages) => {
                let number = |at: &usize| plan.steps[*at].number.to_string();
                let stage = |stage: &Vec<usize>| stage.iter().map(number).collect::<Vec<_>>().join(" ");
                stages.iter().map(stage).collect::<Vec<_>>().join(" | ")
            }
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn steps_come_behind_those_they_wait_for() {
        check("1 2 3", "1 2 3");
        check("1<3 2 3<2", "2 3 1");
        check("7<9,8 8<9 9", "9 8 7");
    }

    #[test]
    fn circle_is_named() {
        check("1<2 2<3 3<1 4", "steps 3, 2, 1 wait for each other");
        check("1 2<2", "step 2 waits for itself");
        check("1<2 2<3 3<2", "steps 3, 2 wait for each other");
    }

    #[test]
    fn more_than_twelve_steps_are_cut_evenly() {
        let all = |count: u32| (1..=count).map(|it| it.to_string()).collect::<Vec<_>>().join(" ");
        check(&all(12), "1 2 3 4 5 6 7 8 9 10 11 12");
        check(&all(13), "1 2 3 4 5 6 7 | 8 9 10 11 12 13");
        let backwards = (1..=13).map(|it| if it < 13 { format!("{it}<{}", it + 1) } else { it.to_string() });
        check(&backwards.collect::<Vec<_>>().join(" "), "13 12 11 10 9 8 7 | 6 5 4 3 2 1");
    }
}
