using Shop.Orders;

namespace Shop.Cli;

#region startup
var service = new OrderService(Log.Default);
Console.WriteLine(Format(service.Count));

static string Format(int count)
{
    return $"{count} orders";
}
#endregion
