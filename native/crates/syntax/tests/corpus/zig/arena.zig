//! A simple arena allocator.
const std = @import("std");
const config = @import("config.zig");
const Allocator = std.mem.Allocator;
usingnamespace @import("shim.zig");

/// Bytes of a block.
pub const block_size: usize = 4096;
var live_arenas: u32 = 0;
threadlocal var scratch: [64]u8 = undefined;
extern "c" fn malloc(size: usize) ?*anyopaque;
pub extern var errno_value: c_int;

pub const ArenaError = error{ OutOfMemory, TooLarge };

/// How an arena grows.
pub const Growth = enum(u8) {
    fixed,
    doubling = 2,

    pub fn next(self: Growth, size: usize) usize {
        return switch (self) {
            .fixed => size,
            .doubling => size * 2,
        };
    }
};

const Block = extern struct {
    next: ?*Block,
    used: usize = 0,
};

const Value = union(enum) {
    number: i64,
    text: []const u8,
    none,
};

/// Frees everything at once.
pub const Arena = struct {
    parent: Allocator,
    head: ?*Block = null,
    growth: Growth = .fixed,

    const Self = @This();
    pub const empty: Self = .{ .parent = undefined };

    /// Makes an empty arena.
    pub fn init(parent: Allocator) Self {
        live_arenas += 1;
        return Self{ .parent = parent };
    }

    pub fn deinit(self: *Self) void {
        var current = self.head;
        while (current) |block| : (current = block.next) {
            self.parent.destroy(block);
        }
    }

    // Allocates without freeing.
    pub fn alloc(self: *Self, comptime T: type, count: usize) ArenaError![]T {
        if (count > block_size) return error.TooLarge;
        const block = try self.parent.create(Block);
        std.debug.print("{d}\n", .{count});
        return castTo(T, block, count);
    }
};

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn append(self: *@This(), item: T) !void {
            try grow(self);
            _ = item;
        }
    };
}

fn castTo(comptime T: type, block: *Block, count: usize) []T {
    return @ptrCast(block)[0..count];
}

export fn arena_count() callconv(.C) u32 {
    return live_arenas;
}

test "an arena frees its blocks" {
    var arena = Arena.init(std.testing.allocator);
    defer arena.deinit();
    try std.testing.expect(arena.head == null);
}

test castTo {
    _ = castTo(u8, undefined, 0);
}

comptime {
    @compileLog("arena");
}
