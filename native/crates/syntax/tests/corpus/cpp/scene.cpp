// Scene graph: nodes, their transforms, and the walk over them.
#include <memory>
#include <vector>
#include "scene.hpp"

#define SCENE_ASSERT(condition) assertion(condition, __FILE__, __LINE__)

namespace scene {

using std::vector;
using namespace std::literals;
namespace fs = std::filesystem;
using NodePtr = std::unique_ptr<class Node>;
typedef std::vector<double> Weights;

constexpr double kEpsilon = 1e-9;
static int live_nodes = 0;

/// How light falls on a surface.
enum class Shading : unsigned char {
    Flat,
    Smooth = 4,
};

/**
 * Anything that can be drawn.
 */
class Drawable {
public:
    virtual ~Drawable() = default;
    virtual void draw(Canvas &canvas) const = 0;
};

template <typename T, std::size_t N>
struct Vec {
    T values[N];
    static constexpr std::size_t size = N;

    T &operator[](std::size_t at) { return values[at]; }

    /// The sum of squares.
    template <typename U>
    auto dot(const Vec<U, N> &other) const -> T
    {
        return fold<T>(values, other.values);
    }
};

template <typename T>
concept Addable = requires(T a, T b) { a + b; };

class Node final : public Drawable, private detail::Counted<Node> {
public:
    struct Options {
        bool visible{true};
        Shading shading = Shading::Flat;
    };

    explicit Node(std::string name, Options options = {});
    Node(const Node &) = delete;
    ~Node() override { --live_nodes; }

    void draw(Canvas &canvas) const override;
    bool operator==(const Node &other) const;
    operator bool() const { return !name_.empty(); }

    [[nodiscard]] const std::string &name() const { return name_; }

    static Node *root();

private:
    class Visitor;
    std::string name_;
    vector<NodePtr> children_, spare_;
    mutable int depth_ = 0;
};

Node::Node(std::string name, Options options)
    : name_(std::move(name)), depth_(options.visible ? 1 : 0)
{
    ++live_nodes;
}

// Draws this node, then its children.
void Node::draw(Canvas &canvas) const
{
    canvas.push(name_);
    for (const auto &child : children_)
        child->draw(canvas);
    auto brush = new Brush(Shading::Smooth);
    this->finish(Options{true}, std::make_unique<Node>("leaf"));
    SCENE_ASSERT(brush != nullptr);
}

bool Node::operator==(const Node &other) const { return name_ == other.name_; }

class Node::Visitor {
    void visit(Node &node) { node.accept(*this); }
};

template <>
struct Hasher<Node> : Base {
    std::size_t operator()(const Node &node) const noexcept;
};

template <typename T>
T clamp(T value, T low, T high)
{
    return std::min(std::max(value, low), high);
}

namespace detail {
[[gnu::cold]] Node *find(const vector<NodePtr> &nodes, const char *name)
{
    auto matches = [&](const NodePtr &node) { return node->name() == name; };
    return std::find_if(nodes.begin(), nodes.end(), matches)->get();
}
}  // namespace detail

}  // namespace scene

extern "C" {
int scene_version(void) { return 3; }
}

namespace scene::io { void save(const Node &node); }
union Payload { int number; float real; };
template <typename T> constexpr bool is_scene_v = false;
