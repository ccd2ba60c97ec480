//! An allocator that counts allocations, allocated bytes and peak memory.

#![allow(
    unsafe_code,
    reason = "an allocator cannot be had without; it only counts and hands on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static REQUESTED: AtomicUsize = AtomicUsize::new(0);
static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct CountingAllocator;

unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_sub(layout.size(), Relaxed);
        record(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn record(bytes: usize) {
    REQUESTS.fetch_add(1, Relaxed);
    REQUESTED.fetch_add(bytes, Relaxed);
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(held, Relaxed);
}

/// Number of allocations so far, and their total bytes.
pub(crate) fn requests() -> (usize, usize) {
    (REQUESTS.load(Relaxed), REQUESTED.load(Relaxed))
}

/// Peak memory during `work`, in bytes beyond those allocated before.
pub(crate) fn peak_during<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = HELD.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = work();
    (result, MOST.load(Relaxed).saturating_sub(before))
}
