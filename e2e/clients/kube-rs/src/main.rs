//! A watcher of kube-rs on config maps that prints its events: one line of JSON for each add,
//! update and delete, and one when the first list is complete.
//!
//!     kube-rs --kubeconfig FILE --namespace NAMESPACE --selector SELECTOR list|streaming-list
//!
//! Errors of the watcher go to stderr; it retries after each.

use std::collections::BTreeMap;
use std::error::Error;
use std::pin::pin;

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [_, kubeconfig, _, namespace, _, selector, strategy] = arguments.as_slice() else {
        return Err("usage: see main.rs".into());
    };
    let selected = Config::default().labels(selector);
    let config = match strategy.as_str() {
        "list" => selected,
        "streaming-list" => selected.streaming_lists(),
        _ => return Err(format!("{strategy} is neither list nor streaming-list").into()),
    };
    let access = kube::Config::from_custom_kubeconfig(
        Kubeconfig::read_from(kubeconfig)?,
        &KubeConfigOptions::default(),
    )
    .await?;
    let api: Api<ConfigMap> = Api::namespaced(Client::try_from(access)?, namespace);
    let mut events = pin!(watcher(api, config).default_backoff());
    let mut printer = Printer::default();
    loop {
        match events.try_next().await {
            Ok(Some(event)) => printer.print(event),
            Ok(None) => return Ok(()),
            Err(error) => eprintln!("kube-rs: {error}"),
        }
    }
}

/// Printer of events. It holds the objects, since kube-rs has one event for add and update, and
/// none for objects that are missing in a later list.
#[derive(Default)]
struct Printer {
    objects: BTreeMap<String, ConfigMap>,
    listed: BTreeMap<String, ConfigMap>,
    synced: bool,
}

impl Printer {
    fn print(&mut self, event: Event<ConfigMap>) {
        match event {
            Event::Init => self.listed.clear(),
            Event::InitApply(object) => {
                self.listed.insert(object.name_any(), object);
            }
            Event::InitDone => self.replace(),
            Event::Apply(object) => self.apply(object),
            Event::Delete(object) => {
                self.objects.remove(&object.name_any());
                print("delete", &object);
            }
        }
    }

    fn replace(&mut self) {
        let listed = std::mem::take(&mut self.listed);
        self.objects.retain(|name, object| {
            let kept = listed.contains_key(name);
            if !kept {
                print("delete", object);
            }
            kept
        });
        for object in listed.into_values() {
            self.apply(object);
        }
        if !self.synced {
            println!("{}", json!({"what": "synced"}));
            self.synced = true;
        }
    }

    fn apply(&mut self, object: ConfigMap) {
        let name = object.name_any();
        match self.objects.get(&name) {
            None => print("add", &object),
            Some(earlier) if earlier.resource_version() == object.resource_version() => {}
            Some(_) => print("update", &object),
        }
        self.objects.insert(name, object);
    }
}

fn print(what: &str, object: &ConfigMap) {
    println!("{}", json!({"what": what, "object": object}));
}
