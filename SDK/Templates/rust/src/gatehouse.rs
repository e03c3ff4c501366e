// SPDX-License-Identifier: Apache-2.0

//! `gatehouse_foreign.h` for Rust: copy this file. A plugin is a type with the trait `Plugin` and one line with the macro
//! `gatehouse_plugin!`; it has no `unsafe` of its own.
//!
//! Everything unsafe rests on what the header says: bytes are valid during a call, and the functions of one instance are called
//! one after the other.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicPtr, Ordering};

// MARK: What a plugin is written with

/// An action under its local name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action<'a> {
    /// What happened.
    pub name: &'a str,
    /// What belongs to it, as JSON.
    pub payload: Option<&'a str>,
    /// Whether it tells of an error.
    pub is_error: bool,
}

/// Why a plugin cannot use its settings.
pub struct Refusal {
    place: String,
    reason: String,
}

impl Refusal {
    /// A refusal of the setting at a JSON Pointer; an empty one is all of them.
    pub fn at(place: &str, reason: &str) -> Self {
        Refusal { place: place.into(), reason: reason.into() }
    }
}

/// One use of a plugin in a host.
pub trait Plugin: Sized + Send + 'static {
    /// The version of the form of the state, from 1; 0 for a plugin without state.
    const STATE_VERSION: u32 = 0;

    /// Makes what one instance needs from the operator's settings, and nothing that does something: it may never be started.
    fn create(instance: Instance, settings: &str) -> Result<Self, Refusal>;

    /// Called before the first action.
    fn start(&mut self, _instance: Instance) {}

    /// Called when the run ends; may emit.
    fn stop(&mut self, _instance: Instance) {}

    /// Hears an action when the reducers are through.
    fn run_after(&mut self, instance: Instance, action: Action);

    /// The state of a fresh instance, as JSON.
    fn initial_state(&self) -> String {
        "null".into()
    }

    /// The state that follows from an action, or `None` when it stays.
    fn reduce(&self, _action: Action, _state: &str) -> Option<String> {
        None
    }

    /// Does work that `Instance::begin_when_kept` has begun, with the memo that was given then; the work ends when it is dropped.
    ///
    /// The key is the same when the action that led to it is dispatched again after a crash: hand it to services that do a thing
    /// once for each key. There is none where no action led to it.
    fn perform(&mut self, _instance: Instance, _work: Work, _key: Option<&str>, _memo: &str) {}

    /// Told that the gate has opened or closed.
    fn gate_changed(&mut self, _instance: Instance, _is_open: bool) {}
}

/// How much a line matters.
#[derive(Clone, Copy)]
pub enum Level {
    Debug = 0,
    Info = 1,
    Warning = 2,
    Error = 3,
}

/// What work means to the run of the host.
#[derive(Clone, Copy)]
pub enum Kind {
    /// The run waits for it.
    Foreground = 0,
    /// So it does when it is asked to end.
    Finishing = 1,
    /// The run ends without it.
    Background = 2,
}

/// The number of one use of a plugin; usable from any thread, also when the instance is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance(u64);

impl Instance {
    /// No instance; what is asked for it is not done.
    pub const NONE: Instance = Instance(0);

    /// Puts an action at the end of the queue; false when the host did not take it.
    pub fn emit(self, name: &str, payload: Option<&str>) -> bool {
        emit(self, 0, name, payload)
    }

    /// Writes one line for the operator.
    pub fn log(self, level: Level, line: &str) {
        if let Some(host) = host() {
            unsafe { (host.log)(self.0, level as u32, Text::new(line)) };
        }
    }

    /// Says why the instance cannot do what it is for; an empty text says that it can again.
    pub fn health(self, failure: &str) {
        if let Some(host) = host() {
            unsafe { (host.health)(self.0, Text::new(failure)) };
        }
    }

    /// Begins work that goes on when the call has returned; work with the same token, unless that is empty, is cancelled.
    pub fn begin(self, token: &str, kind: Kind) -> Option<Work> {
        let number = unsafe { (host()?.begin)(self.0, Text::new(token), kind as u32) };
        (number != 0).then_some(Work { instance: self, number })
    }

    /// Begins work likewise, and has it done by `Plugin::perform` when what leads to it is kept: in a cluster after the next
    /// checkpoint, in any other host soon after the action in hand. For what reaches others; only inside a call of the host.
    ///
    /// False when it was not begun, as in a host that is older than this function.
    pub fn begin_when_kept(self, token: &str, kind: Kind, memo: &str) -> bool {
        host().filter(|host| host.size >= Host::UP_TO_BEGIN_WHEN_KEPT).map_or(false, |host| unsafe {
            (host.begin_when_kept)(self.0, Text::new(token), kind as u32, Text::new(memo)) != 0
        })
    }

    /// Cancels the work with a token; false when there is none.
    pub fn cancel(self, token: &str) -> bool {
        host().map_or(false, |host| unsafe { (host.cancel)(self.0, Text::new(token)) } == DONE)
    }

    /// The instance's own state as JSON.
    pub fn state(self) -> Option<String> {
        let host = host()?;
        received(|receiver| unsafe { (host.read_state)(self.0, receiver) })
    }

    /// What is at a JSON Pointer of the host's state; only inside a call of the host.
    pub fn host_state(self, pointer: &str) -> Option<String> {
        let host = host()?;
        received(|receiver| unsafe { (host.read_host_state)(self.0, Text::new(pointer), receiver) })
    }
}

/// Work that goes on; it ends when this is dropped.
pub struct Work {
    instance: Instance,
    number: u64,
}

impl Work {
    /// Emits on behalf of this work: dropped when it was cancelled.
    pub fn emit(&self, name: &str, payload: Option<&str>) -> bool {
        emit(self.instance, self.number, name, payload)
    }

    /// Whether it has not been cancelled.
    pub fn is_running(&self) -> bool {
        host().map_or(false, |host| unsafe { (host.is_running)(self.instance.0, self.number) } == 1)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(host) = host() {
            unsafe { (host.end)(self.instance.0, self.number) };
        }
    }
}

/// Makes a type the plugin of this library; the manifest is a string literal, such as `include_str!("../plugin.json")`.
#[macro_export]
macro_rules! gatehouse_plugin {
    ($plugin:ty, $($manifest:tt)+) => {
        #[allow(unsafe_code)]
        mod gatehouse_entry {
            use super::*;
            use $crate::gatehouse::{noted, Host, Note, Table};

            const TEXT: &str = concat!(
                "{\"format\":1,\"foreign\":1,\"entry\":\"gatehouse_foreign_v1\",\"manifest\":",
                $($manifest)+,
                "}"
            );

            #[used]
            #[link_section = ".note.gatehouse"]
            static NOTE: Note<{ noted(TEXT) }> = Note::new(TEXT);

            static TABLE: Table = Table::of::<$plugin>();

            /// The entry that the host calls.
            #[no_mangle]
            pub extern "C" fn gatehouse_foreign_v1(host: *const Host) -> *const Table {
                $crate::gatehouse::open(host, &TABLE)
            }
        }
    };
}

// MARK: The header

const DONE: u32 = 0;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    bytes: *const u8,
    count: u64,
}

impl Text {
    fn new(text: &str) -> Self {
        Text { bytes: text.as_ptr(), count: text.len() as u64 }
    }

    /// The text, which is valid during the call that it came with.
    unsafe fn get<'a>(self) -> &'a str {
        if self.count == 0 {
            return "";
        }
        std::str::from_utf8(std::slice::from_raw_parts(self.bytes, self.count as usize)).unwrap_or("")
    }
}

#[repr(C)]
pub struct RawAction {
    name: Text,
    payload: Text,
    is_error: u32,
    reserved: u32,
}

impl RawAction {
    unsafe fn get<'a>(action: *const RawAction) -> Action<'a> {
        let payload = (*action).payload.get();
        Action {
            name: (*action).name.get(),
            payload: if payload.is_empty() { None } else { Some(payload) },
            is_error: (*action).is_error != 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Receiver {
    context: *mut c_void,
    receive: unsafe extern "C" fn(*mut c_void, Text),
}

/// What the host offers, in the order of the header.
#[repr(C)]
pub struct Host {
    size: u32,
    abi: u32,
    refuse: unsafe extern "C" fn(u64, Text, Text) -> u32,
    emit: unsafe extern "C" fn(u64, u64, *const RawAction) -> u32,
    log: unsafe extern "C" fn(u64, u32, Text) -> u32,
    health: unsafe extern "C" fn(u64, Text) -> u32,
    begin: unsafe extern "C" fn(u64, Text, u32) -> u64,
    end: unsafe extern "C" fn(u64, u64) -> u32,
    cancel: unsafe extern "C" fn(u64, Text) -> u32,
    is_running: unsafe extern "C" fn(u64, u64) -> u32,
    read_state: unsafe extern "C" fn(u64, Receiver) -> u32,
    read_host_state: unsafe extern "C" fn(u64, Text, Receiver) -> u32,
    read_id: unsafe extern "C" fn(u64, Receiver) -> u32,
    read_data_directory: unsafe extern "C" fn(u64, Receiver) -> u32,
    now: unsafe extern "C" fn(u64) -> i64,
    replace: unsafe extern "C" fn(u64, *const RawAction) -> u32,
    begin_when_kept: unsafe extern "C" fn(u64, Text, u32, Text) -> u64,
}

impl Host {
    /// The size of a table that has `begin_when_kept`.
    const UP_TO_BEGIN_WHEN_KEPT: u32 = 128;
}

/// What a plugin has, in the order of the header.
#[repr(C)]
pub struct Table {
    size: u32,
    state_version: u32,
    create: Option<unsafe extern "C" fn(u64, Text) -> *mut c_void>,
    destroy: Option<unsafe extern "C" fn(*mut c_void, u64)>,
    start: Option<unsafe extern "C" fn(*mut c_void, u64)>,
    stop: Option<unsafe extern "C" fn(*mut c_void, u64)>,
    handle: Option<unsafe extern "C" fn(*mut c_void, u64, *const RawAction) -> u32>,
    run_after: Option<unsafe extern "C" fn(*mut c_void, u64, *const RawAction)>,
    initial_state: Option<unsafe extern "C" fn(*mut c_void, u64, Receiver)>,
    reduce: Option<unsafe extern "C" fn(*mut c_void, u64, *const RawAction, Text, Receiver)>,
    migrate: Option<unsafe extern "C" fn(u32, Text, Receiver)>,
    gate_changed: Option<unsafe extern "C" fn(*mut c_void, u64, u32)>,
    cancelled: Option<unsafe extern "C" fn(*mut c_void, u64, u64)>,
    intercept: Option<unsafe extern "C" fn(*mut c_void, u64, *const RawAction) -> u32>,
    reserved: *const c_void,
    perform: Option<unsafe extern "C" fn(*mut c_void, u64, u64, Text, Text)>,
}

// Constant, and what it points to too.
unsafe impl Sync for Table {}

impl Table {
    /// The table of a type.
    pub const fn of<P: Plugin>() -> Table {
        let has_state = P::STATE_VERSION > 0;
        Table {
            size: std::mem::size_of::<Table>() as u32,
            state_version: P::STATE_VERSION,
            create: Some(create::<P>),
            destroy: Some(destroy::<P>),
            start: Some(start::<P>),
            stop: Some(stop::<P>),
            handle: None,
            run_after: Some(run_after::<P>),
            initial_state: if has_state { Some(initial_state::<P>) } else { None },
            reduce: if has_state { Some(reduce::<P>) } else { None },
            migrate: None,
            gate_changed: Some(gate_changed::<P>),
            cancelled: None,
            intercept: None,
            reserved: std::ptr::null(),
            perform: Some(perform::<P>),
        }
    }
}

/// The note of a library, as an ELF note by `gatehouse`.
#[repr(C, align(4))]
pub struct Note<const N: usize> {
    name_size: u32,
    content_size: u32,
    kind: u32,
    name: [u8; 12],
    content: [u8; N],
}

/// How many bytes the content of a note takes.
pub const fn noted(text: &str) -> usize {
    (text.len() + 7) / 8 * 8
}

impl<const N: usize> Note<N> {
    /// A note with a text, filled up with spaces.
    pub const fn new(text: &str) -> Self {
        let mut content = [b' '; N];
        let mut index = 0;
        while index < text.len() {
            content[index] = text.as_bytes()[index];
            index += 1;
        }
        Note { name_size: 10, content_size: N as u32, kind: 1, name: *b"gatehouse\0\0\0", content }
    }
}

// MARK: Calls into the host

/// The host's table, which is there as long as the process; NULL before the entry was called.
static HOST: AtomicPtr<Host> = AtomicPtr::new(std::ptr::null_mut());

fn host() -> Option<&'static Host> {
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// Keeps the host's table, and gives the plugin's.
pub fn open(host: *const Host, table: &'static Table) -> *const Table {
    HOST.store(host as *mut Host, Ordering::Release);
    table
}

fn emit(instance: Instance, work: u64, name: &str, payload: Option<&str>) -> bool {
    let action =
        RawAction { name: Text::new(name), payload: Text::new(payload.unwrap_or("")), is_error: 0, reserved: 0 };
    host().map_or(false, |host| unsafe { (host.emit)(instance.0, work, &action) } == DONE)
}

/// Calls a function with a receiver, and gives what that was given.
fn received(body: impl FnOnce(Receiver) -> u32) -> Option<String> {
    unsafe extern "C" fn receive(context: *mut c_void, text: Text) {
        *(context as *mut Option<String>) = Some(text.get().into());
    }
    let mut text: Option<String> = None;
    body(Receiver { context: &mut text as *mut _ as *mut c_void, receive });
    text
}

// MARK: Calls of the host

/// Runs code of the plugin; a panic is told and goes no further, because nothing may be thrown into the host.
fn guarded<R>(instance: Instance, otherwise: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        instance.health("the plugin has panicked; its words are above");
        otherwise
    })
}

unsafe extern "C" fn create<P: Plugin>(instance: u64, settings: Text) -> *mut c_void {
    let made = guarded(Instance(instance), Err(Refusal::at("", "it panics")), || {
        P::create(Instance(instance), settings.get())
    });
    match made {
        Ok(plugin) => Box::into_raw(Box::new(plugin)) as *mut c_void,
        Err(refusal) => {
            if let Some(host) = host() {
                (host.refuse)(instance, Text::new(&refusal.place), Text::new(&refusal.reason));
            }
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn destroy<P: Plugin>(plugin: *mut c_void, instance: u64) {
    guarded(Instance(instance), (), || drop(Box::from_raw(plugin as *mut P)));
}

unsafe extern "C" fn start<P: Plugin>(plugin: *mut c_void, instance: u64) {
    guarded(Instance(instance), (), || (*(plugin as *mut P)).start(Instance(instance)));
}

unsafe extern "C" fn stop<P: Plugin>(plugin: *mut c_void, instance: u64) {
    guarded(Instance(instance), (), || (*(plugin as *mut P)).stop(Instance(instance)));
}

unsafe extern "C" fn run_after<P: Plugin>(plugin: *mut c_void, instance: u64, action: *const RawAction) {
    guarded(Instance(instance), (), || {
        (*(plugin as *mut P)).run_after(Instance(instance), RawAction::get(action))
    });
}

unsafe extern "C" fn initial_state<P: Plugin>(plugin: *mut c_void, instance: u64, receiver: Receiver) {
    guarded(Instance(instance), (), || {
        let state = (*(plugin as *mut P)).initial_state();
        (receiver.receive)(receiver.context, Text::new(&state));
    });
}

unsafe extern "C" fn reduce<P: Plugin>(
    plugin: *mut c_void, instance: u64, action: *const RawAction, state: Text, receiver: Receiver,
) {
    guarded(Instance(instance), (), || {
        if let Some(changed) = (*(plugin as *mut P)).reduce(RawAction::get(action), state.get()) {
            (receiver.receive)(receiver.context, Text::new(&changed));
        }
    });
}

unsafe extern "C" fn gate_changed<P: Plugin>(plugin: *mut c_void, instance: u64, is_open: u32) {
    guarded(Instance(instance), (), || {
        (*(plugin as *mut P)).gate_changed(Instance(instance), is_open == 1)
    });
}

unsafe extern "C" fn perform<P: Plugin>(plugin: *mut c_void, instance: u64, work: u64, key: Text, memo: Text) {
    let instance = Instance(instance);
    let work = Work { instance, number: work };
    guarded(instance, (), || {
        let key = Some(key.get()).filter(|key| !key.is_empty());
        (*(plugin as *mut P)).perform(instance, work, key, memo.get())
    });
}

// The layout is the contract.
const _: () = assert!(std::mem::size_of::<Text>() == 16);
const _: () = assert!(std::mem::size_of::<RawAction>() == 40);
const _: () = assert!(std::mem::size_of::<Receiver>() == 16);
const _: () = assert!(std::mem::size_of::<Host>() == 128);
const _: () = assert!(std::mem::size_of::<Table>() == 120);
