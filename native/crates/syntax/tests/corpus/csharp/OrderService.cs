using System;
using System.Collections.Generic;
using static System.Math;
using Json = System.Text.Json.JsonSerializer;
global using Shop.Core;

[assembly: CLSCompliant(true)]

namespace Shop.Orders
{
    /// <summary>What may happen to an order.</summary>
    [Flags]
    public enum OrderState : byte
    {
        Open = 1,
        Paid,
        Shipped = 4,
    }

    public delegate void StateChanged(Order order, OrderState before);

    /// <summary>Where orders are kept.</summary>
    public interface IOrderStore<TKey> : IDisposable where TKey : notnull
    {
        int Count { get; }
        Order? Find(TKey key);
    }

    public record Money(decimal Amount, string Currency);

    public readonly record struct OrderId(Guid Value)
    {
        public static OrderId Next() => new(Guid.NewGuid());
    }

    public struct Point
    {
        public int X, Y;
    }

    public abstract class ServiceBase { protected abstract string Name { get; } }

    /// <summary>
    /// Takes orders and sells them.
    /// </summary>
    [Service(Lifetime = "scoped")]
    public sealed partial class OrderService : ServiceBase, IOrderStore<OrderId>
    {
        private const int MaxRetries = 3;
        private readonly Dictionary<OrderId, Order> _orders = new();

        public event StateChanged? Changed;
        public event EventHandler Closed { add { Hook(value); } remove { Unhook(value); } }

        public OrderService(ILogger logger, int retries = MaxRetries) : base(logger)
        {
            _logger = logger ?? throw new ArgumentNullException(nameof(logger));
        }

        ~OrderService() => Dispose();

        public int Count => _orders.Count;

        protected override string Name { get; init; } = "orders";

        /// <summary>The retries that are left.</summary>
        public int Retries
        {
            get { return _retries; }
            set { _retries = Max(0, value); }
        }

        public Order this[OrderId id] => _orders[id];

        [Obsolete("use Find")]
        public async Task<Order?> FindAsync(OrderId key)
        {
            var order = await _store.LoadAsync<Order>(key);
            Changed?.Invoke(order, OrderState.Open);
            return order ?? new Order(key) { State = OrderState.Open };
        }

        Order? IOrderStore<OrderId>.Find(OrderId key)
        {
            int Depth(Order order) => order.Children.Count;
            return this.Lookup(key)?.WithDepth(Depth);
        }

        public static OrderService operator +(OrderService left, Order right) => left.Add(right);

        public static explicit operator bool(OrderService service) => service.Count > 0;

        private class Line
        {
            public string Sku = "";
            internal enum Unit { Piece, Box }
        }
    }

    /// <summary>Helpers on orders.</summary>
    public static class OrderExtensions
    {
        // Whether nothing is left to pay.
        public static bool IsSettled(this Order order) => order.Total() == 0m;
    }
}
