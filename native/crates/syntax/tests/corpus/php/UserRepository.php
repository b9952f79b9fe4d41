<?php

declare(strict_types=1);

namespace App\Repository;

use App\Entity\User;
use App\Contracts\{Cacheable, Repository as RepositoryContract};
use Psr\Log\LoggerInterface as Logger;
use function App\Support\array_flatten;
use const App\Support\PAGE_SIZE;

require_once __DIR__ . '/bootstrap.php';
include 'helpers.php';

const DEFAULT_LIMIT = 50;
define('USER_TABLE', 'users');

/**
 * Something that expires.
 */
interface Expires extends Cacheable, \Countable
{
    public const TTL = 3600;

    public function expiresAt(): int;
}

trait LogsQueries
{
    protected array $queries = [];

    protected function log(string $sql): void
    {
        $this->queries[] = $sql;
        $this->logger?->debug($sql);
    }
}

enum Status: string implements HasLabel
{
    case Active = 'active';
    case Banned = 'banned';

    const Fallback = self::Active;

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

/**
 * Reads and writes users.
 */
#[Service('users')]
final class UserRepository extends BaseRepository implements RepositoryContract, Expires
{
    use LogsQueries, SoftDeletes;

    private const int MAX = 100;
    public static ?self $instance = null;
    private ?Logger $logger;

    public function __construct(
        private readonly Connection $connection,
        protected int $limit = DEFAULT_LIMIT,
    ) {
        parent::__construct($connection);
    }

    /** Finds one user. */
    #[Cached(ttl: 60)]
    public function find(int $id): ?User
    {
        $row = $this->connection->fetch('select * from users where id = ?', [$id]);
        if ($row === null) {
            throw new NotFoundException("user $id");
        }
        return User::fromRow($row);
    }

    public static function instance(): static
    {
        return self::$instance ??= new static(Connection::default());
    }

    abstract protected function table(): string;
}

// Joins the parts of a name.
function full_name(User $user): string
{
    $join = fn (string ...$parts) => implode(' ', array_filter($parts));
    return $join($user->first, $user->last);
}

$repository = new UserRepository($connection);
$handler = new class extends Handler { public function handle(): void { echo strlen('x'); } };
?>
<p>Found <?= full_name($repository->find(1)) ?></p>
