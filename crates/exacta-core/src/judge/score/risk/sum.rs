//! The factors, added up and raised to the floors.

use alloc::vec::Vec;

use super::model::{FactorScore, Level, Risk};
use super::{
    breaking_changes, code_complexity, dependency_changes, file_operations, floors,
    refactoring_scope, security_impact,
};
use crate::judge::score::basis::Basis;
use crate::judge::score::class;
use crate::judge::score::evidence::Evidence;
use crate::judge::score::table::{Factor, MAX_RISK};

/// The risk of a subject.
pub(in crate::judge::score) fn of(basis: &Basis<'_>) -> Risk {
    let factors: Vec<FactorScore> = [
        (Factor::FileOperations, file_operations::evidence(basis)),
        (Factor::DependencyChanges, dependency_changes::evidence(basis)),
        (Factor::RefactoringScope, refactoring_scope::evidence(basis)),
        (Factor::BreakingChanges, breaking_changes::evidence(basis)),
        (Factor::SecurityImpact, security_impact::evidence(basis)),
        (Factor::CodeComplexity, code_complexity::evidence(basis)),
    ]
    .into_iter()
    .map(|(factor, evidence)| capped(factor, evidence))
    .collect();
    let class = class::of(basis);
    let floors = floors::of(basis, class.as_ref());
    let sum: u32 = factors.iter().map(|factor| factor.score).sum();
    let least = floors.iter().map(|floor| floor.at_least).max().unwrap_or(0);
    let score = sum.min(MAX_RISK).max(least);
    let level = Level::of(score);
    Risk { class, score, level, tier: level.tier(), factors, floors }
}

fn capped(factor: Factor, evidence: Vec<Evidence>) -> FactorScore {
    let sum = evidence.iter().fold(0u32, |sum, entry| sum.saturating_add(entry.points));
    let max = factor.at_most();
    FactorScore { name: factor.name(), score: sum.min(max), max, evidence }
}
