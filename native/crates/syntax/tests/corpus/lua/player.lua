--- A player and what it carries.
-- @module player
local Entity = require("game.entity")
local util = require "game.util"
local insert, max = table.insert, math.max
dofile("config.lua")

local MAX_HEALTH <const> = 100
local SLOTS = { "head", "hand" }

local M = {}
M.__index = M
M.version = "1.2"

Player = setmetatable({}, { __index = Entity })

--- Makes a player.
-- @param name string
function M.new(name)
  local self = setmetatable({}, M)
  self.name = name
  self.health = MAX_HEALTH
  self.items = {}
  return self
end

-- Hurts the player.
function M:damage(amount)
  self.health = max(0, self.health - amount)
  if self.health == 0 then
    self:die()
  end
  util.log("hurt", self.name)
end

function M.inventory.slots:first()
  return self[1]
end

M.heal = function(self, amount)
  self.health = math.min(MAX_HEALTH, self.health + amount)
end

local function clamp(value, low, high)
  return math.max(low, math.min(high, value))
end

local shuffle = function(items)
  for i = #items, 2, -1 do
    local j = math.random(i)
    items[i], items[j] = items[j], items[i]
  end
end

function spawn(name)
  local player = M.new(name)
  local on_death = function() print(name) end
  insert(Player, player)
  return player
end

M.events = {
  join = function(player) spawn(player.name) end,
  ["leave"] = function(player) player:die() end,
  limit = 5,
}

--[[ The module
     is what we return. ]]
return M
