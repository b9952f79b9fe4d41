@file:JvmName("SessionCaches")

package dev.harbor.session

import java.time.Duration
import kotlinx.coroutines.flow.*
import dev.harbor.net.Client as HttpClient

typealias Loader<K> = suspend (K) -> Session?

const val MAX_SESSIONS = 1_000
private val defaultTtl: Duration = Duration.ofMinutes(30)
var openSessions = 0

/** Why a session left the cache. */
enum class Eviction(val label: String) {
    EXPIRED("expired"),
    REPLACED("replaced") {
        override fun isClean() = false
    };

    open fun isClean(): Boolean = true
}

/**
 * Anything that can be closed once.
 */
interface Closable {
    val closed: Boolean
    fun close()
    fun closeQuietly() = runCatching { close() }
}

fun interface Clock { fun now(): Long }

sealed class LoadResult {
    object Missing : LoadResult()
    data object Busy : LoadResult()
    data class Found(val session: Session, val age: Long = 0) : LoadResult()
}

@JvmInline
value class SessionId(val raw: String)

annotation class Cached(val seconds: Int)

// Keeps the newest sessions in memory.
@Singleton
class SessionCache<K : Any>(
    private val loader: Loader<K>,
    clock: Clock,
) : BaseCache<K, Session>(clock), Closable by Closer(), Iterable<Session> {

    private val entries = LinkedHashMap<K, Session>()
    lateinit var listener: (Eviction) -> Unit

    override val closed: Boolean
        get() = entries.isEmpty()

    var limit: Int = MAX_SESSIONS
        set(value) {
            require(value > 0) { "limit must be positive" }
            field = value
        }

    val lazyClient by lazy { HttpClient() }

    init {
        openSessions += 1
        logger.info("opened")
    }

    constructor(loader: Loader<K>) : this(loader, Clock { System.nanoTime() }) {
        touch()
    }

    /** Finds or loads a session. */
    suspend fun find(key: K): LoadResult {
        val hit = entries[key]?.also { it.touch() }
        if (hit != null) return LoadResult.Found(hit)
        val loaded = loader.invoke(key) ?: return LoadResult.Missing
        fun remember(session: Session) { entries[key] = session }
        remember(loaded)
        return LoadResult.Found(loaded.copy(), age = clock.now())
    }

    @Cached(seconds = 5)
    override fun iterator(): Iterator<Session> = entries.values.iterator()

    operator fun get(key: K): Session? = entries[key]

    inner class Cursor {
        var position = 0
        fun next() = entries.values.elementAt(position++)
    }

    companion object {
        const val NAME = "sessions"

        @JvmStatic
        fun empty(): SessionCache<String> = SessionCache({ null })
    }
}

object Sessions : Registry<Session>() {
    val all = mutableListOf<Session>()
    fun register(session: Session) = all.add(session)
}

// Shortens an identifier for logs.
fun SessionId.short(): String = raw.take(8)

fun <T> List<T>.second(): T = this[1]

val Session.isOld: Boolean
    get() = age > defaultTtl

fun main(args: Array<String>) {
    val cache = SessionCache.empty()
    println(cache is Closable)
}
