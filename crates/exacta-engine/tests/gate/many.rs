//! A record of ten thousand plans: starting up reads its tail, and old snapshots go.

use std::sync::Arc;

use exacta_core::record::Event;

use exacta_engine::log::Wanted;
use exacta_engine::workspace::PortError;
use exacta_testkit::Shared;

use crate::any::{What, handle as any_handle, plan_id_of};
use crate::tamper::log_of;
use crate::tap::{Op, Tap, Tapped};
use crate::world::{World, asks, person};

const PLANS: usize = 10_000;

/// Notes which files are read.
#[derive(Default)]
struct Reads(Shared<Vec<String>>);

impl Tap for Reads {
    fn before(&self, op: Op<'_>) -> Result<(), PortError> {
        if op.name == "read" {
            self.0.borrow_mut().push(op.at.into());
        }
        Ok(())
    }
}

#[test]
fn ten_thousand_plans() {
    let world = World::new(&[("a.txt", "one\n")]);
    let first = world.propose(&asks("a.txt", "two\n")).unwrap();
    let template = world.entry(&first.plan_id);
    {
        let log = log_of(&world.disk, &world.secrets, &world.machine).unwrap();
        let mut made = 1;
        while made < PLANS {
            let events = (made..PLANS.min(made + 50)).flat_map(|number| {
                let mut created = template.created.clone();
                created.plan_id = plan_id_of(&format!("01a1e329-0efb-7d20-81fd-{number:012}"));
                let evaluated = Event::PlanEvaluated {
                    decision: exacta_core::judge::decide::Kind::Wait,
                    plan_id: created.plan_id.clone(),
                    quality: template.quality,
                    reasons: template.reasons.clone(),
                    risk: template.risk,
                };
                [Event::PlanCreated(Box::new(created)), evaluated]
            });
            let events: Vec<Event> = events.collect();
            made += events.len() / 2;
            log.append(&Wanted { actor: person(), key: None, expects: vec![], events }).unwrap();
        }
    }
    let segments = world.disk.gate_files(".exacta/log");
    assert!(segments.len() > 20, "{}", segments.len());
    let snapshots = world.disk.gate_files(".exacta/index");
    assert_eq!(snapshots.len(), 2, "{snapshots:?}");
    let size = world.disk.bytes(&snapshots[1]).unwrap().len();
    println!("10,000 plans: {} segments, a snapshot of {size} bytes", segments.len());
    // What is read to open the record does not grow with its length.
    let reads_to_open = |world: &World| {
        let tapped = Arc::new(Tapped::new(Arc::clone(&world.disk), Reads::default()));
        let listed = world.gate_on(&tapped, |gate| gate.list().unwrap().0.len()).unwrap();
        (listed, tapped.tap.0.take())
    };
    let tail = [snapshots[1].clone(), segments.last().unwrap().clone()];
    assert_eq!(reads_to_open(&world), (PLANS, tail.to_vec()));
    // One that a power loss took is not missed: the one before is there.
    let without = world.fork();
    without.disk.tamper(&snapshots[1], None);
    let (listed, reads) = reads_to_open(&without);
    assert_eq!(listed, PLANS);
    assert_eq!(reads.len(), 4, "{reads:?}");
    // With neither, everything is read, and says the same.
    without.disk.tamper(&snapshots[0], None);
    let (listed, reads) = reads_to_open(&without);
    assert_eq!(listed, PLANS);
    assert_eq!(reads.iter().filter(|at| at.contains("/log/")).count(), segments.len());
    // The first command that writes reads all that was closed, and notes that it did.
    assert!(world.handle(What::Pause { plan_id: first.plan_id.clone() }).is_ok());
    // From then on a proposal reads no more of the record than that, whatever it adds.
    let tapped = Arc::new(Tapped::new(Arc::clone(&world.disk), Reads::default()));
    let propose = crate::world::propose(&asks("a.txt", "three\n"));
    let told = world
        .gate_on(&tapped, |gate| any_handle(gate, crate::world::command(propose, None)).map(drop));
    told.unwrap().unwrap();
    let reads = tapped.tap.0.take();
    let of_the_record = reads.iter().filter(|at| at.contains("/log/") || at.contains("/index/"));
    assert_eq!(of_the_record.count(), 3, "{reads:?}");
    assert!(world.handle(What::Pause { plan_id: first.plan_id }).is_ok());
}
