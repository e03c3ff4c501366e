// SPDX-License-Identifier: Apache-2.0

//! `gatehouse_foreign.h` for Rust: copy this file. A plugin is a type with the trait `Plugin` and one line with the macro
//! `gatehouse_plugin!`; it has no `unsafe` of its own.
//!
//! Everything unsafe rests on what the header says: bytes are valid during a call, and the functions of one instance are called
//! one after the other.

#![allow(unsafe_code)]
// A plugin uses the part of the contract that it needs.
#![allow(dead_code)]

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::net::{TcpListener, TcpStream};
use std::os::fd::FromRawFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::ptr::addr_of;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::{Duration, SystemTime};

/// A function that was added to the host's table later on; `None` where the host's is shorter.
macro_rules! later {
    ($function:ident) => {{
        let host = HOST.load(Ordering::Acquire) as *const Host;
        // A pointer to the field says where it ends, and reads nothing of a table that is shorter.
        let reaches = |field: usize| addr_of!((*host).first.size).read() as usize >= field - host as usize + 8;
        if !host.is_null() && reaches(addr_of!((*host).$function) as usize) {
            Some(addr_of!((*host).$function).read())
        } else {
            None
        }
    }};
}

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

impl<'a> Action<'a> {
    /// An action that tells of no error.
    pub const fn new(name: &'a str, payload: Option<&'a str>) -> Self {
        Action { name, payload, is_error: false }
    }

    /// The same as an error.
    pub const fn as_error(self) -> Self {
        Action { is_error: true, ..self }
    }
}

/// An action that an interceptor puts in the place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What happened: the name that was heard, or one that the manifest lists under `emits`.
    pub name: String,
    /// What belongs to it, as JSON.
    pub payload: Option<String>,
    /// Whether it tells of an error.
    pub is_error: bool,
}

/// Whether an intercepted action continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interception {
    /// It continues as it came.
    Pass,
    /// It stops here.
    Stop,
    /// Another action continues in its place. Where the host does not take that one, nothing does.
    Replace(Replacement),
}

/// Why the host did not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDone {
    /// The instance, or the work, is over.
    Gone,
    /// A text is not what it should be; the operator is told.
    Invalid,
    /// There is nothing there, or the operator does not grant it.
    Absent,
    /// Not in this call, or not on this thread.
    NotNow,
    /// The host is older than the function.
    Unsupported,
    /// A later host has this number for its reason.
    Other(u32),
}

impl NotDone {
    /// What a number of the header stands for.
    fn result(answer: u32) -> Result<(), NotDone> {
        match answer {
            DONE => Ok(()),
            1 => Err(NotDone::Gone),
            2 => Err(NotDone::Invalid),
            3 => Err(NotDone::Absent),
            4 => Err(NotDone::NotNow),
            other => Err(NotDone::Other(other)),
        }
    }
}

/// Why there is no connection, or nobody listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFailure {
    /// What the host has answered.
    pub answer: NotDone,
    /// One sentence for the operator; empty where the answer says everything.
    pub sentence: String,
}

impl NetworkFailure {
    /// What an answer of the host and its reason stand for.
    fn result(answer: u32, sentence: Option<String>) -> Result<(), NetworkFailure> {
        NotDone::result(answer)
            .map_err(|answer| NetworkFailure { answer, sentence: sentence.unwrap_or_default() })
    }
}

impl From<NotDone> for NetworkFailure {
    fn from(answer: NotDone) -> NetworkFailure { NetworkFailure { answer, sentence: String::new() } }
}

impl fmt::Display for NetworkFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        if self.sentence.is_empty() { self.answer.fmt(formatter) } else { formatter.write_str(&self.sentence) }
    }
}

impl fmt::Display for NotDone {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotDone::Gone => write!(formatter, "the instance or the work is over"),
            NotDone::Invalid => write!(formatter, "a text is not what the host expects; it has told the operator"),
            NotDone::Absent => write!(formatter, "there is nothing there, or the operator does not grant it"),
            NotDone::NotNow => write!(formatter, "the host does not do this in this call or on this thread"),
            NotDone::Unsupported => write!(formatter, "the host is older than this function"),
            NotDone::Other(number) => write!(formatter, "the host answers with the number {}", number),
        }
    }
}

impl std::error::Error for NotDone {}

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

    /// Looks whether the library can be used on this machine at all; called once, when it is loaded, ahead of everything else.
    ///
    /// An error refuses the library, in words for the operator.
    fn open() -> Result<(), String> {
        Ok(())
    }

    /// Makes what one instance needs from the operator's settings, and nothing that does something: it may never be started.
    fn create(instance: Instance, settings: &str) -> Result<Self, Refusal>;

    /// Called before the first action.
    fn start(&mut self, _instance: Instance) {}

    /// Called when the run ends; may emit.
    fn stop(&mut self, _instance: Instance) {}

    /// Hears an action before the reducers. Returns whether `run_after` is called for it when they are through.
    fn handle(&mut self, _instance: Instance, _action: Action) -> bool {
        true
    }

    /// Hears an action when the reducers are through.
    fn run_after(&mut self, _instance: Instance, _action: Action) {}

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

    /// Told that work was cancelled, after its `is_running` has become false; not when the instance is dropped first.
    fn cancelled(&mut self, _instance: Instance, _work: WorkNumber) {}
}

/// A plugin that decides about actions ahead of all middlewares.
///
/// `gatehouse_plugin!` sees by itself that a type has this trait. The manifest lists the permission `intercept`.
pub trait InterceptingPlugin: Plugin {
    /// Decides about an action.
    fn intercept(&mut self, instance: Instance, action: Action) -> Interception;
}

/// A plugin that takes over states which its earlier versions have written; needed where `STATE_VERSION` is above 1.
///
/// `gatehouse_plugin!` sees by itself that a type has this trait.
pub trait MigratingPlugin: Plugin {
    /// The present form of a state with a lower version; `None` where it cannot be had, which refuses the library.
    ///
    /// Belongs to no instance, and may be called on any thread.
    fn migrate(version: u32, state: &str) -> Option<String>;
}

/// How much a line matters, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// For who looks for a mistake.
    Debug = 0,
    /// Worth knowing.
    Info = 1,
    /// Something may be wrong.
    Warning = 2,
    /// Something is wrong.
    Error = 3,
}

/// What work means to the run of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        self.send(Action::new(name, payload)).is_ok()
    }

    /// Puts an action, which may be an error, at the end of the queue; says why the host did not take it.
    ///
    /// Where the operator limits what waits and the queue is full, a thread of the plugin's own sleeps here.
    pub fn send(self, action: Action) -> Result<(), NotDone> {
        emit(self, 0, action)
    }

    /// Says of an action, under its local name, that it was not done, and why in one sentence for the operator.
    pub fn fail(self, action: Action, reason: &str) -> Result<(), NotDone> {
        let function = unsafe { later!(fail) }.ok_or(NotDone::Unsupported)?;
        NotDone::result(unsafe { function(self.0, &RawAction::new(action), Text::new(reason)) })
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
        unsafe { later!(begin_when_kept) }.map_or(false, |function| unsafe {
            function(self.0, Text::new(token), kind as u32, Text::new(memo)) != 0
        })
    }

    /// Cancels the work with a token; false when there is none.
    pub fn cancel(self, token: &str) -> bool {
        host().map_or(false, |host| unsafe { (host.cancel)(self.0, Text::new(token)) } == DONE)
    }

    /// Announces that what the instance does from here on may take so long before it comes back, at most an hour, so that nobody takes
    /// the host for hanging. The last duration counts, and zero says that it is done.
    pub fn expect_long(self, duration: Duration) -> Result<(), NotDone> {
        let function = unsafe { later!(expect_long) }.ok_or(NotDone::Unsupported)?;
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        NotDone::result(unsafe { function(self.0, nanoseconds) })
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

    /// The instance's id in the configuration; `None` in `create`.
    pub fn id(self) -> Option<String> {
        let host = host()?;
        received(|receiver| unsafe { (host.read_id)(self.0, receiver) })
    }

    /// Connects to a TCP server, in a worker by the host, if its operator grants it. Waits for an hour at most, on a thread of the
    /// plugin's own: inside a call of the host the answer is `NotNow`.
    pub fn connect(self, server: &str, port: u16, limit: Duration) -> Result<TcpStream, NetworkFailure> {
        let function = unsafe { later!(connect) }.ok_or(NetworkFailure::from(NotDone::Unsupported))?;
        let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        let mut descriptor = -1;
        let mut answer = DONE;
        let sentence = received(|receiver| {
            answer = unsafe { function(self.0, Text::new(server), port.into(), limit, &mut descriptor, receiver) };
            answer
        });
        NetworkFailure::result(answer, sentence)?;
        Ok(unsafe { TcpStream::from_raw_fd(descriptor) })
    }

    /// Listens at an address, in a worker where the operator grants it. The socket does not block. Drop it when the instance stops; the
    /// run keeps its own, and clients wait while one instance follows another.
    pub fn listen(self, address: &str, port: u16) -> Result<TcpListener, NetworkFailure> {
        let function = unsafe { later!(listen) }.ok_or(NetworkFailure::from(NotDone::Unsupported))?;
        let mut descriptor = -1;
        let mut answer = DONE;
        let sentence = received(|receiver| {
            answer = unsafe { function(self.0, Text::new(address), port.into(), &mut descriptor, receiver) };
            answer
        });
        NetworkFailure::result(answer, sentence)?;
        Ok(unsafe { TcpListener::from_raw_fd(descriptor) })
    }

    /// A folder for this instance alone, which it makes when it needs it; `None` in `create`, and where `data` is not granted.
    pub fn data_directory(self) -> Option<PathBuf> {
        let host = host()?;
        received(|receiver| unsafe { (host.read_data_directory)(self.0, receiver) }).map(PathBuf::from)
    }

    /// The time by the host's clock, which a test may move; `None` in `create`, and where `clock` is not granted.
    pub fn now(self) -> Option<SystemTime> {
        let nanoseconds = unsafe { (host()?.now)(self.0) };
        let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
        match nanoseconds {
            0 => None,
            1.. => SystemTime::UNIX_EPOCH.checked_add(distance),
            _ => SystemTime::UNIX_EPOCH.checked_sub(distance),
        }
    }
}

/// The number of work that an instance has begun; it is never given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkNumber(u64);

/// Work that goes on; it ends when this is dropped.
#[derive(Debug)]
pub struct Work {
    instance: Instance,
    number: u64,
}

impl Work {
    /// The number by which `Plugin::cancelled` names it.
    pub fn number(&self) -> WorkNumber {
        WorkNumber(self.number)
    }

    /// Emits on behalf of this work: dropped when it was cancelled.
    pub fn emit(&self, name: &str, payload: Option<&str>) -> bool {
        self.send(Action::new(name, payload)).is_ok()
    }

    /// Emits likewise, an error too; says why the host did not take it.
    pub fn send(&self, action: Action) -> Result<(), NotDone> {
        emit(self.instance, self.number, action)
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
            #[allow(unused_imports)]
            use super::*;
            // What a type lacks is taken from the traits.
            #[allow(unused_imports)]
            use $crate::gatehouse::{noted, Host, Note, Offers, Table, WithoutInterceptor, WithoutMigration};

            const TEXT: &str = concat!(
                "{\"format\":1,\"foreign\":1,\"entry\":\"gatehouse_foreign_v1\",\"manifest\":",
                $($manifest)+,
                "}"
            );

            #[used]
            #[link_section = ".note.gatehouse"]
            static NOTE: Note<{ noted(TEXT) }> = Note::new(TEXT);

            static TABLE: Table =
                Table::of::<$plugin>(Offers::<$plugin>::INTERCEPT, Offers::<$plugin>::MIGRATE);

            /// The entry that the host calls.
            #[no_mangle]
            pub extern "C" fn gatehouse_foreign_v1(host: *const Host) -> *const Table {
                $crate::gatehouse::open::<$plugin>(host, &TABLE)
            }
        }
    };
}

// MARK: The header

const DONE: u32 = 0;
const PASS: u32 = 0;
const STOP: u32 = 1;

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
    /// An action for the host, valid as long as the texts of the other.
    fn new(action: Action) -> Self {
        RawAction {
            name: Text::new(action.name),
            payload: Text::new(action.payload.unwrap_or("")),
            is_error: action.is_error as u32,
            reserved: 0,
        }
    }

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

/// What every host offers, in the order of the header.
#[repr(C)]
pub struct FirstHost {
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
}

/// What a host offers that has everything of this file. The table of an older host ends earlier, so it is only read by `host` and
/// `later!`, never as a whole.
#[repr(C)]
pub struct Host {
    first: FirstHost,
    begin_when_kept: unsafe extern "C" fn(u64, Text, u32, Text) -> u64,
    expect_long: unsafe extern "C" fn(u64, u64) -> u32,
    fail: unsafe extern "C" fn(u64, *const RawAction, Text) -> u32,
    connect: unsafe extern "C" fn(u64, Text, u32, u64, *mut i32, Receiver) -> u32,
    listen: unsafe extern "C" fn(u64, Text, u32, *mut i32, Receiver) -> u32,
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
    migrate: Option<Migrate>,
    gate_changed: Option<unsafe extern "C" fn(*mut c_void, u64, u32)>,
    cancelled: Option<unsafe extern "C" fn(*mut c_void, u64, u64)>,
    intercept: Option<Intercept>,
    reserved: *const c_void,
    perform: Option<unsafe extern "C" fn(*mut c_void, u64, u64, Text, Text)>,
}

// Constant, and what it points to too.
unsafe impl Sync for Table {}

impl Table {
    /// The table of a type.
    pub const fn of<P: Plugin>(intercept: Option<Intercept>, migrate: Option<Migrate>) -> Table {
        let has_state = P::STATE_VERSION > 0;
        Table {
            size: std::mem::size_of::<Table>() as u32,
            state_version: P::STATE_VERSION,
            create: Some(create::<P>),
            destroy: Some(destroy::<P>),
            start: Some(start::<P>),
            stop: Some(stop::<P>),
            handle: Some(handle::<P>),
            run_after: Some(run_after::<P>),
            initial_state: if has_state { Some(initial_state::<P>) } else { None },
            reduce: if has_state { Some(reduce::<P>) } else { None },
            migrate,
            gate_changed: Some(gate_changed::<P>),
            cancelled: Some(cancelled::<P>),
            intercept,
            reserved: std::ptr::null(),
            perform: Some(perform::<P>),
        }
    }
}

/// The function `intercept` of a table.
pub type Intercept = unsafe extern "C" fn(*mut c_void, u64, *const RawAction) -> u32;

/// The function `migrate` of a table.
pub type Migrate = unsafe extern "C" fn(u32, Text, Receiver);

/// What a type offers beyond `Plugin`: a constant of its own stands before the one of a trait, and is there for a type that fits only.
pub struct Offers<P>(PhantomData<P>);

impl<P: InterceptingPlugin> Offers<P> {
    /// The function of an interceptor.
    pub const INTERCEPT: Option<Intercept> = Some(intercept::<P>);
}

impl<P: MigratingPlugin> Offers<P> {
    /// The function that takes over states.
    pub const MIGRATE: Option<Migrate> = Some(migrate::<P>);
}

/// What stands in for the interceptor of a type without.
pub trait WithoutInterceptor {
    /// None.
    const INTERCEPT: Option<Intercept> = None;
}

impl<P> WithoutInterceptor for Offers<P> {}

/// What stands in for the migration of a type without.
pub trait WithoutMigration {
    /// None.
    const MIGRATE: Option<Migrate> = None;
}

impl<P> WithoutMigration for Offers<P> {}

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

fn host() -> Option<&'static FirstHost> {
    unsafe { HOST.load(Ordering::Acquire).cast::<FirstHost>().as_ref() }
}

/// Keeps the host's table, and gives the plugin's; none where the plugin cannot be used.
pub fn open<P: Plugin>(host: *const Host, table: &'static Table) -> *const Table {
    HOST.store(host as *mut Host, Ordering::Release);
    match guarded(P::open) {
        Ok(()) => table,
        Err(reason) => {
            refuse(0, &Refusal { place: String::new(), reason });
            std::ptr::null()
        }
    }
}

/// Says why the plugin, or an instance of it, cannot be.
fn refuse(instance: u64, refusal: &Refusal) {
    if let Some(host) = host() {
        unsafe { (host.refuse)(instance, Text::new(&refusal.place), Text::new(&refusal.reason)) };
    }
}

fn emit(instance: Instance, work: u64, action: Action) -> Result<(), NotDone> {
    let host = host().ok_or(NotDone::Gone)?;
    NotDone::result(unsafe { (host.emit)(instance.0, work, &RawAction::new(action)) })
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

/// Runs code of the plugin; a panic ends the host as a trap of Swift does, so that no run with one ends well and nobody works with
/// what it has left half done. Nothing may be thrown into the host. The panic's own words are printed before.
fn guarded<R>(body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| std::process::abort())
}

unsafe extern "C" fn create<P: Plugin>(instance: u64, settings: Text) -> *mut c_void {
    match guarded(|| P::create(Instance(instance), settings.get())) {
        Ok(plugin) => Box::into_raw(Box::new(plugin)) as *mut c_void,
        Err(refusal) => {
            refuse(instance, &refusal);
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn destroy<P: Plugin>(plugin: *mut c_void, _instance: u64) {
    guarded(|| drop(Box::from_raw(plugin as *mut P)));
}

unsafe extern "C" fn start<P: Plugin>(plugin: *mut c_void, instance: u64) {
    guarded(|| (*(plugin as *mut P)).start(Instance(instance)));
}

unsafe extern "C" fn stop<P: Plugin>(plugin: *mut c_void, instance: u64) {
    guarded(|| (*(plugin as *mut P)).stop(Instance(instance)));
}

unsafe extern "C" fn handle<P: Plugin>(plugin: *mut c_void, instance: u64, action: *const RawAction) -> u32 {
    guarded(|| {
        (*(plugin as *mut P)).handle(Instance(instance), RawAction::get(action)) as u32
    })
}

unsafe extern "C" fn run_after<P: Plugin>(plugin: *mut c_void, instance: u64, action: *const RawAction) {
    guarded(|| {
        (*(plugin as *mut P)).run_after(Instance(instance), RawAction::get(action))
    });
}

unsafe extern "C" fn initial_state<P: Plugin>(plugin: *mut c_void, _instance: u64, receiver: Receiver) {
    guarded(|| {
        let state = (*(plugin as *mut P)).initial_state();
        (receiver.receive)(receiver.context, Text::new(&state));
    });
}

unsafe extern "C" fn reduce<P: Plugin>(
    plugin: *mut c_void, _instance: u64, action: *const RawAction, state: Text, receiver: Receiver,
) {
    guarded(|| {
        if let Some(changed) = (*(plugin as *mut P)).reduce(RawAction::get(action), state.get()) {
            (receiver.receive)(receiver.context, Text::new(&changed));
        }
    });
}

unsafe extern "C" fn migrate<P: MigratingPlugin>(version: u32, state: Text, receiver: Receiver) {
    // A state that cannot be had refuses the library.
    if let Some(migrated) = guarded(|| P::migrate(version, state.get())) {
        (receiver.receive)(receiver.context, Text::new(&migrated));
    }
}

unsafe extern "C" fn intercept<P: InterceptingPlugin>(
    plugin: *mut c_void, instance: u64, action: *const RawAction,
) -> u32 {
    let decision = guarded(|| {
        (*(plugin as *mut P)).intercept(Instance(instance), RawAction::get(action))
    });
    match decision {
        Interception::Pass => PASS,
        Interception::Stop => STOP,
        Interception::Replace(other) => {
            let other =
                Action { name: &other.name, payload: other.payload.as_deref(), is_error: other.is_error };
            match host() {
                Some(host) if (host.replace)(instance, &RawAction::new(other)) == DONE => PASS,
                _ => STOP,
            }
        }
    }
}

unsafe extern "C" fn cancelled<P: Plugin>(plugin: *mut c_void, instance: u64, work: u64) {
    guarded(|| {
        (*(plugin as *mut P)).cancelled(Instance(instance), WorkNumber(work))
    });
}

unsafe extern "C" fn gate_changed<P: Plugin>(plugin: *mut c_void, instance: u64, is_open: u32) {
    guarded(|| {
        (*(plugin as *mut P)).gate_changed(Instance(instance), is_open == 1)
    });
}

unsafe extern "C" fn perform<P: Plugin>(plugin: *mut c_void, instance: u64, work: u64, key: Text, memo: Text) {
    let instance = Instance(instance);
    let work = Work { instance, number: work };
    guarded(|| {
        let key = Some(key.get()).filter(|key| !key.is_empty());
        (*(plugin as *mut P)).perform(instance, work, key, memo.get())
    });
}

// The layout is the contract.
const _: () = assert!(std::mem::size_of::<Text>() == 16);
const _: () = assert!(std::mem::size_of::<RawAction>() == 40);
const _: () = assert!(std::mem::size_of::<Receiver>() == 16);
const _: () = assert!(std::mem::size_of::<FirstHost>() == 120);
const _: () = assert!(std::mem::size_of::<Host>() == 160);
const _: () = assert!(std::mem::size_of::<Table>() == 120);
