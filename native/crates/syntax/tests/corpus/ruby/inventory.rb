# frozen_string_literal: true

require "json"
require "active_support/core_ext"
require_relative "inventory/item"
load "seed.rb"

# Keeps track of what is on the shelves.
module Warehouse
  VERSION = "1.4.0"
  Point = Struct.new(:row, :shelf) do
    def label
      "#{row}-#{shelf}"
    end
  end

  class OutOfStock < StandardError; end

  module Countable
    def self.included(base)
      base.extend(ClassMethods)
    end

    def count_all = items.sum(&:quantity)
  end

  # One warehouse and its items.
  #
  # @example
  #   Inventory.load("main.json")
  class Inventory < Base::Store
    include Countable
    include Enumerable
    extend Forwardable
    prepend Auditing

    DEFAULT_LIMIT = 100

    attr_reader :name, :items
    attr_accessor :limit
    def_delegators :@items, :size, :each

    class << self
      attr_writer :registry

      # Reads an inventory from a file.
      def load(path)
        data = JSON.parse(File.read(path))
        new(data.fetch("name"), items: data["items"].map { |row| Item.new(**row) })
      end
    end

    def self.empty
      @empty ||= new("empty")
    end

    def initialize(name, items: [], limit: DEFAULT_LIMIT)
      super()
      @name = name
      @items = items
      @limit = limit
    end

    # Takes some of an item off the shelf.
    def take!(sku, amount = 1)
      item = find(sku) or raise OutOfStock, sku
      item.quantity -= amount
      notify(item) if item.low?
      self
    end

    def ==(other)
      other.is_a?(Inventory) && name == other.name
    end

    def name=(value)
      @name = value.strip
    end

    alias remove take!
    alias_method :pick, :take!
    define_method(:full?) { items.size >= limit }

    private

    def notify(item)
      Mailer.low_stock(item).deliver_later
      logger&.info "low: #{item.sku}"
    end

    class Cursor
      def next; end
    end
  end
end

def Warehouse.open(path)
  Warehouse::Inventory.load path
end

def report(inventory)
  puts inventory.name
end

class Warehouse::Report::Builder
end

report(Warehouse.open("main.json"))
