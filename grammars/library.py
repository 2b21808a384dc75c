#!/usr/bin/env python3
"""Writes grammars/<id>/library.txt: the names that a language's own library brings along, one a line, sorted.

With them come grammars/<id>/prelude.txt of python, javascript, java, rust and go: the names that every file has without an
import; grammars/go/members.txt: the packages of Go's library, each with the names that it exports; and
grammars/c/arguments.txt: the functions of C's library with their numbers of arguments, as gcc's preprocessor shows them.

Each list is read from a toolchain of this machine:

  python      this interpreter: builtins, their methods, and common modules
  javascript  node: globals, prototypes and core modules, and the names of the DOM below
  rust        the HTML of rustdoc that rustup installs (component rust-docs)
  java        javap over common classes of the JDK
  c, cpp      headers in /usr/include
  lua         lua: globals and the members of its modules
  ruby        ruby: the methods of its classes and of common parts of its library
  php         php: functions, classes and their methods; best with the extensions curl, intl, mbstring and xml
  csharp      monop, Mono's printer of assemblies, over common types, and the names below of newer versions of .NET
  go          the names below: packages of its library as its documentation lists them

  words       the words of English, for grammars/words.txt: the dictionaries of Debian's wamerican and wbritish, and the terms
              of programming below

A list whose toolchain is missing stays as it is. Usage: grammars/library.py [id ...]
"""

import importlib
import keyword
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*$")

PYTHON_MODULES = """
abc argparse array ast asyncio base64 bisect collections collections.abc concurrent.futures configparser contextlib
contextvars copy csv datetime decimal difflib email.message enum fnmatch fractions functools getpass glob
gzip hashlib heapq hmac html http.client http.server importlib inspect io itertools json logging math
operator os os.path pathlib pickle pprint queue random re secrets shlex
shutil signal socket sqlite3 statistics string struct subprocess sys tarfile tempfile textwrap threading
time traceback types typing unittest unittest.mock urllib.parse urllib.request uuid warnings weakref
xml.etree.ElementTree zipfile 
""".split()

NODE_MODULES = "assert buffer child_process crypto events fs fs/promises http https net os path process \
querystring readline stream timers url util worker_threads zlib".split()

DOM = """
add addEventListener append appendChild before after blur cancelAnimationFrame children classList click cloneNode
closest contains createElement createElementNS createTextNode disconnect dispatchEvent fetch focus
getAttribute getBoundingClientRect getComputedStyle getContext getElementById getElementsByClassName
getElementsByTagName getItem hasAttribute insertAdjacentElement insertAdjacentHTML insertBefore localStorage matches
matchMedia MutationObserver observe IntersectionObserver ResizeObserver postMessage prepend preventDefault
pushState querySelector querySelectorAll removeAttribute removeChild removeEventListener removeItem replaceChild
replaceChildren replaceState replaceWith requestAnimationFrame requestIdleCallback scrollIntoView scrollTo select
setAttribute setItem stopImmediatePropagation stopPropagation submit toggle toggleAttribute unobserve
WebSocket XMLHttpRequest FileReader alert confirm prompt
"""

RUST_FOLDERS = """
any alloc array ascii borrow boxed cell char clone cmp collections convert default env error ffi fmt fs future hash
hint io iter marker mem net num ops option panic path pin process ptr rc result slice str string sync task thread time
vec
""".split()

JAVA_CLASSES = """
java.lang.Object java.lang.String java.lang.StringBuilder java.lang.CharSequence java.lang.Character java.lang.Integer
java.lang.Long java.lang.Double java.lang.Boolean java.lang.Number java.lang.Math java.lang.System java.lang.Thread
java.lang.Runnable java.lang.Throwable java.lang.Exception java.lang.Class java.lang.Enum java.lang.Iterable
java.lang.Comparable java.lang.AutoCloseable java.lang.Runtime java.lang.Process java.lang.ProcessBuilder
java.lang.ThreadLocal java.lang.StackTraceElement
java.util.Collection java.util.List java.util.ArrayList java.util.LinkedList java.util.Map java.util.Map$Entry
java.util.HashMap java.util.LinkedHashMap java.util.TreeMap java.util.Set java.util.HashSet java.util.TreeSet
java.util.Queue java.util.Deque java.util.ArrayDeque java.util.PriorityQueue java.util.Iterator java.util.ListIterator
java.util.Collections java.util.Arrays java.util.Objects java.util.Optional java.util.OptionalInt java.util.Comparator
java.util.Random java.util.Scanner java.util.UUID java.util.Date java.util.Locale java.util.Properties
java.util.StringJoiner java.util.BitSet java.util.EnumMap java.util.EnumSet java.util.Base64 java.util.Timer
java.util.function.Function java.util.function.BiFunction java.util.function.Supplier java.util.function.Consumer
java.util.function.Predicate java.util.function.UnaryOperator java.util.function.BinaryOperator
java.util.stream.Stream java.util.stream.IntStream java.util.stream.LongStream java.util.stream.Collectors
java.util.stream.StreamSupport java.util.regex.Pattern java.util.regex.Matcher
java.util.concurrent.ExecutorService java.util.concurrent.Executors java.util.concurrent.Future
java.util.concurrent.CompletableFuture java.util.concurrent.ConcurrentHashMap java.util.concurrent.TimeUnit
java.util.concurrent.CountDownLatch java.util.concurrent.atomic.AtomicInteger java.util.concurrent.atomic.AtomicLong
java.util.concurrent.atomic.AtomicReference java.util.concurrent.locks.ReentrantLock java.util.concurrent.locks.Lock
java.io.File java.io.InputStream java.io.OutputStream java.io.Reader java.io.Writer java.io.BufferedReader
java.io.BufferedWriter java.io.PrintStream java.io.PrintWriter java.io.IOException java.io.StringWriter
java.io.ByteArrayOutputStream java.nio.file.Files java.nio.file.Path java.nio.file.Paths
java.nio.charset.StandardCharsets java.nio.ByteBuffer java.time.Instant java.time.Duration java.time.LocalDate
java.time.LocalDateTime java.time.LocalTime java.time.ZonedDateTime java.time.ZoneId
java.time.format.DateTimeFormatter java.time.temporal.ChronoUnit java.math.BigDecimal java.math.BigInteger
java.net.URI java.net.URL java.net.Socket java.net.http.HttpClient java.net.http.HttpRequest
java.net.http.HttpResponse java.sql.Connection java.sql.PreparedStatement java.sql.ResultSet java.text.SimpleDateFormat
java.lang.reflect.Method java.lang.reflect.Field
""".split()

RUBY_PARTS = """
benchmark bigdecimal csv date delegate digest English erb fileutils find forwardable io/console ipaddr json logger
monitor net/http observer open3 open-uri optparse ostruct pathname pp rbconfig ripper securerandom set shellwords
singleton socket stringio strscan tempfile time timeout tmpdir tsort uri weakref yaml zlib
""".split()

CSHARP_TYPES = """
System.Object System.String System.Char System.Int32 System.Int64 System.Double System.Decimal System.Boolean
System.Byte System.Math System.Console System.Convert System.DateTime System.DateTimeOffset System.TimeSpan
System.TimeZoneInfo System.Guid System.Uri System.UriBuilder System.Version System.Random System.Environment
System.Exception System.ArgumentException System.ArgumentNullException System.ArgumentOutOfRangeException
System.InvalidOperationException System.NotSupportedException System.NotImplementedException
System.OperationCanceledException System.AggregateException System.Activator System.AppDomain System.Array
System.Attribute System.BitConverter System.Buffer System.Delegate System.Enum System.EventArgs System.EventHandler
System.GC System.IComparable System.IDisposable System.IEquatable`1 System.IFormattable System.Lazy`1
System.Nullable`1 System.Tuple System.Type System.Action System.Func`1 System.Predicate`1 System.Progress`1
System.StringComparer System.WeakReference System.Collections.ArrayList System.Collections.Hashtable
System.Collections.IEnumerable System.Collections.IEnumerator System.Collections.Generic.List`1
System.Collections.Generic.Dictionary`2 System.Collections.Generic.HashSet`1 System.Collections.Generic.Queue`1
System.Collections.Generic.Stack`1 System.Collections.Generic.SortedDictionary`2
System.Collections.Generic.SortedSet`1 System.Collections.Generic.LinkedList`1
System.Collections.Generic.IEnumerable`1 System.Collections.Generic.IReadOnlyList`1
System.Collections.Generic.IReadOnlyDictionary`2 System.Collections.Generic.KeyValuePair`2
System.Collections.Generic.Comparer`1 System.Collections.Generic.EqualityComparer`1
System.Collections.Concurrent.ConcurrentDictionary`2 System.Collections.Concurrent.ConcurrentQueue`1
System.Collections.Concurrent.ConcurrentBag`1 System.Collections.Concurrent.BlockingCollection`1
System.Collections.ObjectModel.ObservableCollection`1 System.Collections.ObjectModel.ReadOnlyCollection`1
System.Diagnostics.Debug System.Diagnostics.Trace System.Diagnostics.Process System.Diagnostics.Stopwatch
System.Globalization.CultureInfo System.IO.File System.IO.Directory System.IO.Path System.IO.FileInfo
System.IO.DirectoryInfo System.IO.FileStream System.IO.MemoryStream System.IO.Stream System.IO.StreamReader
System.IO.StreamWriter System.IO.StringReader System.IO.StringWriter System.IO.TextReader System.IO.TextWriter
System.IO.BinaryReader System.IO.BinaryWriter System.IO.IOException System.IO.FileSystemWatcher
System.Linq.Enumerable System.Linq.Queryable System.Linq.IGrouping`2 System.Net.WebUtility System.Net.IPAddress
System.Net.Dns System.Net.Http.HttpClient System.Net.Http.HttpContent System.Net.Http.HttpRequestMessage
System.Net.Http.HttpResponseMessage System.Net.Http.Headers.HttpHeaders System.Net.Sockets.Socket
System.Net.Sockets.TcpClient System.Net.Sockets.TcpListener System.Net.Sockets.NetworkStream
System.Reflection.Assembly System.Reflection.MethodInfo System.Reflection.PropertyInfo System.Reflection.FieldInfo
System.Reflection.ConstructorInfo System.Runtime.InteropServices.Marshal
System.Security.Cryptography.HashAlgorithm System.Security.Cryptography.RandomNumberGenerator System.Text.Encoding
System.Text.StringBuilder System.Text.RegularExpressions.Regex System.Text.RegularExpressions.Match
System.Threading.Thread System.Threading.ThreadPool System.Threading.Timer System.Threading.Monitor
System.Threading.Mutex System.Threading.SemaphoreSlim System.Threading.Interlocked
System.Threading.CancellationToken System.Threading.CancellationTokenSource System.Threading.ManualResetEventSlim
System.Threading.ReaderWriterLockSlim System.Threading.Tasks.Task System.Threading.Tasks.Task`1
System.Threading.Tasks.TaskCompletionSource`1 System.Threading.Tasks.Parallel System.Xml.XmlReader
System.Xml.XmlWriter System.Xml.XmlDocument System.Xml.Linq.XElement System.Xml.Linq.XDocument
System.Data.DataTable System.Data.Common.DbCommand System.Data.Common.DbConnection
System.Data.Common.DbDataReader System.ComponentModel.INotifyPropertyChanged
""".split()

# Of .NET after Mono's versions, by its documentation.
CSHARP_NEWER = """
AggregateBy Append Chunk CountBy DistinctBy ExceptBy Index IntersectBy MaxBy MinBy Order OrderDescending Prepend
SkipLast TakeLast ToFrozenDictionary ToFrozenSet ToHashSet ToImmutableArray ToImmutableDictionary ToImmutableHashSet
ToImmutableList TryGetNonEnumeratedCount UnionBy AsMemory AsSpan Slice Span ReadOnlySpan Memory ReadOnlyMemory
IndexOfAny IndexOfAnyExcept StartsWith EndsWith SequenceEqual TryCopyTo TryFormat TryParse ContainsAny
EnsureCapacity GetValueOrDefault TryAdd TryDequeue TryPeek TryPop PriorityQueue ImmutableArray
ImmutableList ImmutableDictionary CreateBuilder CreateRange FrozenDictionary FrozenSet ReplaceLineEndings
GetHashCode HashCode Combine ToHashCode Clamp DateOnly TimeOnly FromDateTime ToDateTime Half Int128
ThrowIfCancellationRequested ThrowIfDisposed ThrowIfEqual ThrowIfGreaterThan ThrowIfLessThan ThrowIfNegative
ThrowIfNegativeOrZero ThrowIfNull ThrowIfNullOrEmpty ThrowIfNullOrWhiteSpace ThrowIfZero UnreachableException
AppendAllLinesAsync AppendAllTextAsync AppendJoin CopyToAsync DisposeAsync IAsyncDisposable IAsyncEnumerable
GetAsyncEnumerator MoveNextAsync OpenHandle ReadAllBytesAsync ReadAllLinesAsync ReadAllTextAsync ReadAtLeast
ReadAtLeastAsync ReadExactly ReadExactlyAsync ReadLinesAsync WriteAllBytesAsync WriteAllLinesAsync
WriteAllTextAsync WithCancellation ConfigureAwait ForEachAsync ValueTask WaitAsync WhenEach PeriodicTimer
WaitForNextTickAsync CancelAsync TryReset AsTask FromException FromCanceled Channel CreateBounded
CreateUnbounded ReadAllAsync TryRead TryWrite TryComplete WaitToReadAsync WaitToWriteAsync GetChars
JsonSerializer JsonDocument JsonElement JsonNode JsonSerializerOptions Deserialize DeserializeAsync Serialize
SerializeAsync SerializeToElement SerializeToUtf8Bytes EnumerateArray EnumerateObject GetProperty TryGetProperty
GetString GetInt32 GetInt64 GetDouble GetBoolean GetRawText ParseAsync Utf8JsonReader Utf8JsonWriter
WriteStartObject WriteEndObject WriteStartArray WriteEndArray WritePropertyName WriteString WriteNumber
WriteBoolean GetFromJsonAsync PostAsJsonAsync PutAsJsonAsync PatchAsync PatchAsJsonAsync ReadFromJsonAsync
JsonContent HashData HashDataAsync ToHexString FromHexString GetBytes GetInt32 Fill GetItems NextInt64 NextSingle
Shuffle GeneratedRegex EnumerateMatches EnumerateSplits Count GetElapsedTime GetTimestamp TimeProvider GetUtcNow
GetLocalNow CollectionsMarshal AddOrUpdate GetOrAdd GetRelativePath IsPathFullyQualified EndsInDirectorySeparator
TrimEndingDirectorySeparator Exists CreateTempSubdirectory GetEnumerator ArrayPool Rent Return MemoryPool
GetPinnableReference IsDefined GetNames GetValues nameof typeof
"""

C_HEADERS = """
assert ctype errno fcntl inttypes locale math poll pthread semaphore setjmp signal stdio stdlib string strings
sys/mman sys/select sys/socket sys/stat sys/time sys/wait time unistd wchar netdb arpa/inet dirent
""".split()

CPP_HEADERS = """
bits/stl_vector.h bits/basic_string.h bits/stl_map.h bits/stl_set.h bits/unordered_map.h bits/unordered_set.h
bits/stl_list.h bits/stl_deque.h bits/stl_queue.h bits/stl_stack.h bits/stl_algo.h bits/stl_algobase.h
bits/stl_numeric.h bits/stl_pair.h bits/stl_iterator.h bits/stl_function.h bits/shared_ptr.h bits/shared_ptr_base.h
bits/unique_ptr.h bits/move.h bits/std_mutex.h bits/unique_lock.h bits/std_thread.h bits/chrono.h bits/ios_base.h
bits/basic_ios.h bits/std_function.h bits/ranges_algo.h bits/range_access.h bits/atomic_base.h
array any atomic bitset charconv condition_variable filesystem fstream functional future iomanip iostream istream
memory mutex optional ostream random ratio regex span sstream stdexcept string string_view thread tuple utility
variant initializer_list
""".split()

GO = """
append cap clear close complex copy delete imag len make max min new panic print println real recover any bool byte
comparable error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr
Append Appendf Appendln Errorf Fprint Fprintf Fprintln Fscan Fscanf Fscanln Print Printf Println Scan Scanf Scanln
Sprint Sprintf Sprintln Sscan Sscanf Sscanln Stringer Formatter
As Is Join New Unwrap Error
Clone Compare Contains ContainsAny ContainsFunc ContainsRune Count Cut CutPrefix CutSuffix EqualFold Fields FieldsFunc
HasPrefix HasSuffix Index IndexAny IndexByte IndexFunc IndexRune LastIndex LastIndexByte Lines Map Repeat Replace
ReplaceAll Split SplitAfter SplitAfterN SplitN SplitSeq Title ToLower ToTitle ToUpper ToValidUTF8 Trim TrimFunc
TrimLeft TrimPrefix TrimRight TrimSpace TrimSuffix NewReader NewReplacer Builder Grow WriteString WriteByte WriteRune
Len Reset String Cap
AppendInt AppendQuote Atoi FormatBool FormatFloat FormatInt FormatUint Itoa ParseBool ParseFloat ParseInt ParseUint
Quote QuoteRune Unquote
Buffer Bytes NewBuffer NewBufferString ReadFrom WriteTo Next Truncate Equal
Copy CopyBuffer CopyN MultiReader MultiWriter NopCloser Pipe ReadAll ReadAtLeast ReadFull TeeReader LimitReader
NewSectionReader Read Write Close Seek ReadAt WriteAt ReadByte ReadRune UnreadByte ReadString ReadLine ReadBytes Peek
Discard Flush NewScanner NewWriter NewReadWriter NewReaderSize NewWriterSize Text Err Split ScanLines ScanWords
Args Chdir Chmod Chown Create CreateTemp DirFS Environ Executable Exit Expand ExpandEnv Getenv Getpid Getwd Hostname
IsExist IsNotExist IsPermission LookupEnv Lstat Mkdir MkdirAll MkdirTemp Open OpenFile ReadDir ReadFile Readlink
Remove RemoveAll Rename Setenv Stat Symlink TempDir Unsetenv UserCacheDir UserConfigDir UserHomeDir WriteFile Name
IsDir Mode ModTime Size Sys Type Info Readdir Readdirnames Sync
Abs Base Clean Dir EvalSymlinks Ext FromSlash Glob IsAbs Match Rel SplitList ToSlash VolumeName Walk WalkDir
Background Cause TODO WithCancel WithCancelCause WithDeadline WithTimeout WithValue WithoutCancel AfterFunc Deadline
Done Value
Lock Unlock RLock RUnlock TryLock Wait Add Go Do Once OnceFunc OnceValue OnceValues Signal Broadcast NewCond Load
Store LoadOrStore LoadAndDelete CompareAndSwap CompareAndDelete Swap Range Get Put AddInt32 AddInt64 LoadInt32
LoadInt64 StoreInt32 StoreInt64 SwapInt32 Delete
After Date FixedZone LoadLocation NewTicker NewTimer Now Parse ParseDuration ParseInLocation Since Sleep Tick Unix
UnixMicro UnixMilli UnixNano Until AddDate Before Day Format Hour Hours In Local Location Microseconds Milliseconds
Minute Minutes Month Nanosecond Nanoseconds Round Second Seconds Stop Sub UTC Weekday Year YearDay Zone IsZero
Decode Encode HTMLEscape Indent Marshal MarshalIndent MarshalJSON NewDecoder NewEncoder Token Unmarshal UnmarshalJSON
Valid DisallowUnknownFields SetIndent SetEscapeHTML UseNumber More Buffered MarshalText UnmarshalText
DefaultServeMux Error FileServer Get Handle HandleFunc Head ListenAndServe ListenAndServeTLS MaxBytesReader
NewRequest NewRequestWithContext NewServeMux NotFound NotFoundHandler Post PostForm Redirect RedirectHandler Serve
ServeContent ServeFile ServeHTTP SetCookie StatusText StripPrefix TimeoutHandler WithContext Context Cookie Cookies
FormFile FormValue Header ParseForm ParseMultipartForm PathValue PostFormValue Referer UserAgent BasicAuth SetBasicAuth
Set Values Del WriteHeader Shutdown RoundTrip Client Hijack NewRecorder NewServer NewTLSServer Result
Fatal Fatalf Fatalln Panic Panicf Panicln SetFlags SetOutput SetPrefix Default Debug Info Warn With WithGroup
NewJSONHandler NewTextHandler LogAttrs Handler Int Int64 Bool Duration Any Group Attr
Cleanup Errorf Fail FailNow Failed Helper Log Logf Parallel Run Setenv Skip SkipNow Skipf Skipped TempDir Loop
ReportAllocs ResetTimer StartTimer StopTimer SetBytes
Compile MatchString MustCompile QuoteMeta FindAllString FindAllStringSubmatch FindString FindStringIndex
FindStringSubmatch FindSubmatch Find FindAll FindIndex ReplaceAllFunc ReplaceAllString ReplaceAllStringFunc SubexpNames
NumSubexp Longest
Find Float64s Ints Search SearchInts SearchStrings Slice SliceIsSorted SliceStable Sort Stable Strings Less Reverse
BinarySearch BinarySearchFunc Chunk Clip Collect Compact CompactFunc Concat DeleteFunc EqualFunc IndexFunc Insert
IsSorted IsSortedFunc MaxFunc MinFunc SortFunc SortStableFunc Sorted Keys All Backward Max Min
Ceil Cos Exp Floor Hypot Inf IsInf IsNaN Log10 Log2 Mod NaN Pow Pow10 Sin Sqrt Tan Trunc
Float64 Float32 Int31 Int31n Int63 Intn IntN Perm Shuffle Seed NewSource N
DeepEqual Elem Field FieldByName Indirect Interface IsNil Kind Method MethodByName NumField NumMethod SetInt SetString
TypeOf ValueOf Zero Call CanSet CanInterface Tag Lookup Implements
Arg Bool BoolVar Duration DurationVar Int IntVar NArg NFlag Parsed StringVar Usage Var Visit VisitAll NewFlagSet
PrintDefaults
Execute ExecuteTemplate Funcs Lookup Must New ParseFS ParseFiles ParseGlob
Command CommandContext CombinedOutput LookPath Output Start StderrPipe StdinPipe StdoutPipe Kill Notify NotifyContext
Dial DialContext DialTimeout Listen ListenPacket Accept Addr LocalAddr RemoteAddr SetDeadline SetReadDeadline
SetWriteDeadline LookupHost ParseIP ParseCIDR SplitHostPort JoinHostPort
JoinPath ParseQuery ParseRequestURI PathEscape PathUnescape Query QueryEscape QueryUnescape ResolveReference Hostname
Port EscapedPath
DecodeString EncodeToString EncodedLen DecodedLen Sum Sum256 Sum512 BlockSize New256 NewGCM NewCipher
Begin BeginTx Commit Exec ExecContext Ping PingContext Prepare PrepareContext QueryContext QueryRow QueryRowContext
Rollback RowsAffected LastInsertId Columns SetMaxOpenConns SetMaxIdleConns SetConnMaxLifetime
DecodeRune DecodeRuneInString EncodeRune RuneCount RuneCountInString RuneLen ValidString IsControl IsDigit IsLetter
IsLower IsNumber IsPrint IsPunct IsSpace IsSymbol IsUpper
GC GOMAXPROCS Goexit Gosched NumCPU NumGoroutine Caller Callers CallersFrames Stack PrintStack ReadMemStats Version
Sizeof Offsetof Alignof StringData SliceData
"""

# What the authors of the dictionaries ask to be said with their words.
WORDS_HEAD = """\
# Words of English and of programming, one a line, sorted, of four letters or more; `s` is left off. grammars/library.py.
# From SCOWL, Copyright 2000-2011 by Kevin Atkinson. Permission to use, copy, modify, distribute and sell these word lists, the
# associated scripts, the output created from the scripts, and its documentation for any purpose is hereby granted without fee,
# provided that the above copyright notice appears in all copies and that both that copyright notice and this permission notice
# appear in supporting documentation. Kevin Atkinson makes no representations about the suitability of this array for any
# purpose. It is provided "as is" without express or implied warranty.
"""

# Beyond the dictionaries.
TERMS = """
addr algo alloc anim argc argp args argv arith arity async attr attrs auth authn authz autoload basename bigint
bitmask bitrate bitset bool boolean btree calc callee charset checkbox checksum chmod chown chunked cmds codec
codecs codepoint coef coeff comp concat cond config conn conns const coord coords coroutine corr covar ctor ctrl curr
cwds cycl datagram datetime dealloc debounce decl dedup deque deref deregister desc deser deserialize dest diag dict
dirname distr docstring dropdown dtor dtype ecdsa elem elems elif ellipsoid elts endian endianness enqueue ents
enum errno estim eval expr exprs exts fallthrough favicon fetcher fifo filename filepath filesize filt fixme
flatmap fname fnum fopen foreach formatter freq frontend fscanf fsync func funcs geom getter goroutine gpus groupby
gzip hasher hashmap hashtable hdfs hdrs heapq hostname href hsla html http https hypot iface ifdef impl impls incl
incr init inits inode inout inst instr intf ints iovec ipaddr iter iters javascript jpeg json kern keydown keyup
keyvalue kwarg kwargs lang lerp libs linestring linspace linter listdir localhost logit logits lstat lval lvalue
lzma macos malloc matmul matplotlib mbps memcpy metadata meth microservice middleware minmax mkdir mmap mongo msec
msgs mult mutex mutexes namespace nargs ngram nlen nlist nodejs numpy nums oauth objs opcode openapi oper optim
optin orig outbox outfile outlier params paren parens parm parms pathname pcap perc perf pkts plist polyfill popen
popup posix postfix postgres pred preds pref prefetch prefs preload preprocess prev printf println prob probs proc
procs proto protobuf ptrs pubkey pubsub putc qsort qual quantile quot rasterize rcpt readdir readme readonly realloc
realpath rebase recip recv redis refcount regex regexes regs renderer repl repo repos repr reqs rescale resize
retval rgba rmdir rowid rpath rspec runnable runtime rval rvalue savepoint sbin scanf sched scrollbar sdiv sema
semver serde serializer setattr shader sigint sigmoid signum sizeof softmax sprintf sqrt sscanf stdarg stddev
stderr stdev stdin stdlib stdout stmt strat strcat strcmp strcpy strdup stringify strlen strncmp struct structs subarray
subdir subdomain subexpr subgraph subkey submodule subnet subquery substr substring subtree subtype summ symlink
symlinks syscall sysctl teardown tempfile termios thres timedelta timeout timeouts timestep tmpdir tmpfile todo
tokenize tokenizer toml tooltip topk toplevel touchend traceback traversal trgt tuple tuples txns typedef typename
typeof uint umask unary unescape unicode unindent unix unlink upsert urls usec userid utils uuid vals valu varargs
vecs vert verts viewport vlan vptr wchar webhook webpack websocket whitespace wildcard workdir worktree xlabel xlim
xpath yaml ylabel ylim zfill zlib
"""


def python():
    import builtins

    names = set(dir(builtins)) | set(keyword.softkwlist)
    for value in [object(), 1, 1.0, "", b"", bytearray(), [], (), {}, set(), frozenset(), range(1), slice(1), None]:
        names |= set(dir(value))
    names |= set(dir(BaseException())) | set(dir((_ for _ in ()))) | set(dir(lambda: 0))
    for module_name in PYTHON_MODULES:
        module = importlib.import_module(module_name)
        exported = getattr(module, "__all__", None) or [it for it in dir(module) if not it.startswith("_")]
        for name in exported:
            value = getattr(module, name, None)
            if callable(value):
                names.add(name)
            if isinstance(value, type):
                names |= {it for it in dir(value) if not it.startswith("_") and callable(getattr(value, it, None))}
    with open(HERE / "library.py", encoding="utf-8") as file:
        names |= {it for it in dir(file) if not it.startswith("_")}
    return names


def javascript():
    script = """
    const names = new Set();
    const add = (value) => {
      for (let it = value; it && it !== Object.prototype; it = Object.getPrototypeOf(it)) {
        for (const name of Object.getOwnPropertyNames(it)) names.add(name);
      }
    };
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      names.add(name);
      const value = globalThis[name];
      if (typeof value === 'function' || (typeof value === 'object' && value && value !== globalThis)) {
        add(value);
        if (value.prototype) add(value.prototype);
      }
    }
    for (const value of [Object.prototype, (function* () {})(), (async function* () {})(), Promise.resolve()]) add(value);
    for (const module of process.argv.slice(1)) {
      const exported = require(module);
      for (const name of Object.keys(exported)) {
        names.add(name);
        const value = exported[name];
        if (typeof value === 'function' && value.prototype) add(value.prototype);
      }
    }
    names.add('require');
    console.log([...names].join('\\n'));
    """
    return set(output(["node", "--no-warnings", "-e", script, *NODE_MODULES])) | set(DOM.split())


def rust():
    root = pathlib.Path(output(["rustc", "--print", "sysroot"])[0]) / "share/doc/rust/html/std"
    names = {"std", "core", "alloc"}
    files = [file for folder in RUST_FOLDERS for file in (root / folder).glob("**/*.html")]
    files += [*root.glob("primitive.*.html"), *root.glob("macro.*.html")]
    for file in files:
        if "simd" in file.name or "arch" in file.parts:
            continue
        kind, _, name = file.stem.partition(".")
        if kind in ("fn", "macro", "struct", "enum", "trait", "type", "union"):
            names.add(name)
        html = file.read_text(encoding="utf-8")
        names |= set(re.findall(r'id="(?:ty)?method\.([a-z0-9_]+)"', html))
        names |= set(re.findall(r'id="variant\.([A-Za-z0-9_]+)"', html))
    return names


def java():
    names = set()
    for line in output(["javap", "-public", *JAVA_CLASSES]):
        found = re.search(r"([A-Za-z][A-Za-z0-9_]*)\(", line)
        names |= {found[1]} if found else set()
    return names | {name.split(".")[-1].split("$")[-1] for name in JAVA_CLASSES}


def c():
    names = set("assert offsetof va_start va_arg va_end va_copy sizeof static_assert errno bool".split())
    for header in C_HEADERS:
        path = next((it for it in [pathlib.Path(f"/usr/include/{header}.h"),
                                   pathlib.Path(f"/usr/include/x86_64-linux-gnu/{header}.h")] if it.exists()), None)
        if path is not None:
            names |= set(re.findall(r"\b([a-z][a-z0-9_]+) \(", path.read_text(encoding="utf-8", errors="replace")))
    math = pathlib.Path("/usr/include/x86_64-linux-gnu/bits/mathcalls.h").read_text(encoding="utf-8")
    names |= set(re.findall(r"\(([a-z][a-z0-9]+),", math))
    names -= set("if while for switch return defined in of the".split())
    c_arguments(names)
    return names


# The macros among C's functions, and what the headers declare in several ways.
C_MACROS = """
assert 1 fpclassify 1 gamma 1 isfinite 1 isinf 1 isnan 1 isnormal 1 offsetof 2 setjmp 1 signbit 1 static_assert 1+
va_arg 2 va_copy 2 va_end 1 va_start 1+
""".split()


def c_arguments(names):
    """Writes the functions that providers.txt names, or that are given, each with its number of arguments."""
    provided = (HERE / "c/providers.txt").read_text(encoding="utf-8")
    names = names | set(re.findall(r"^\w+", provided, re.M))
    headers = set(re.findall(r"<(.*)>", provided)) | {f"{header}.h" for header in C_HEADERS}
    lines = "".join(f"#if __has_include(<{it}>)\n#include <{it}>\n#endif\n" for it in sorted(headers))
    read = subprocess.run(["gcc", "-E", "-P", "-xc", "-D_GNU_SOURCE", "-D__NO_CTYPE", "-"], input=lines, text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    inner = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
    read = re.sub(r"\s+", " ", re.sub(rf"__(?:attribute|asm)__\s*{inner}", "", read))
    found = dict(zip(C_MACROS[::2], C_MACROS[1::2]))
    for name, arguments in re.findall(rf"extern [^;{{}}()=]*?\b([a-z]\w*) ?({inner}) ?;", read):
        flat = re.sub(r"\([^()]*\)", "_", re.sub(r"\([^()]*\)", "_", arguments[1:-1])).strip()
        count = 0 if flat in ("", "void") else flat.count(",") + 1
        if name in names:
            found.setdefault(name, f"{count - 1}+" if flat.endswith("...") else str(count))
    (HERE / "c/arguments.txt").write_text("".join(f"{it} {found[it]}\n" for it in sorted(found)), encoding="utf-8")


def cpp():
    folders = sorted(pathlib.Path("/usr/include/c++").glob("*"))
    names = set("move forward size_t make_pair make_tuple get tie swap".split())
    for header in CPP_HEADERS:
        path = folders[-1] / header
        if path.exists():
            code = re.sub(r"//.*|/\*[\s\S]*?\*/", "", path.read_text(encoding="utf-8", errors="replace"))
            names |= set(re.findall(r"\b([a-z][a-z0-9_]+)\s*\(", code))
            names |= set(re.findall(r"\b(?:class|struct) ([a-z][a-z0-9_]+)", code))
    return names - set("if while for switch return defined noexcept decltype sizeof catch operator".split())


def lua():
    script = "for k, v in pairs(_G) do print(k) if type(v) == 'table' then for m in pairs(v) do print(m) end end end"
    files = "close flush lines read seek setvbuf write pack unpack move utf8 char charpattern codepoint offset codes"
    return set(output(["lua", "-e", script])) | set(files.split())


def ruby():
    script = """
    parts = ARGV.each { |part| begin; require part; rescue LoadError; end }
    names = []
    ObjectSpace.each_object(Module) do |it|
      # Classes of the tools that load the library are none of it.
      next if it.name.nil? || it.name.match?(/Gem|Bundler|RubyVM|DidYouMean|ErrorHighlight|SyntaxSuggest|Ripper|Psych/)
      names.concat(it.public_instance_methods(false), it.protected_instance_methods(false))
      names.concat(it.singleton_methods(false)) << it.name.split('::').last
    end
    names.concat(Kernel.private_instance_methods(false), Module.private_instance_methods(false))
    names.concat(Object.private_instance_methods(false))
    # In code, `name?`, `name!` and `name=` are `name` and a sign.
    puts names.map { |name| name.to_s.sub(/[?!=]$/, '') }
    puts YAML.methods(false)
    """
    return set(output(["ruby", "-W0", "-e", script, *RUBY_PARTS])) | {"puts", "require", "initialize"}


def php():
    script = """
    foreach (get_defined_functions()['internal'] as $name) echo $name, "\\n";
    foreach ([...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()] as $class) {
        echo substr(strrchr('\\\\' . $class, '\\\\'), 1), "\\n";
        foreach ((new ReflectionClass($class))->getMethods() as $method) echo $method->name, "\\n";
    }
    """
    return set(output(["php", "-r", script])) | set("array die echo empty exit isset list print unset".split())


def csharp():
    names = set(CSHARP_NEWER.split())
    libraries = "mscorlib System.Core System System.Net.Http System.Xml System.Xml.Linq System.Data".split()
    assemblies = [f"/usr/lib/mono/4.5/{library}.dll" for library in libraries]
    for name in CSHARP_TYPES:
        short = re.sub(r"`\d", "", name.split(".")[-1])
        lines = next(filter(None, (declared(assembly, name) for assembly in assemblies)))
        methods = (re.search(r"\b([A-Z][A-Za-z0-9]*)(?:<[^>]*>)? ?\(", line) for line in lines)
        names |= {short} | {it[1] for it in methods if it}
    return names


def declared(assembly, name):
    try:
        return output(["monop", f"-r:{assembly}", name])
    except subprocess.CalledProcessError:
        return []


def go():
    go_members()
    return set(GO.split())


# What the packages of Go's library have since the version that Debian has.
GO_NEWER = """
bytes.Clone bytes.ContainsFunc bytes.CutPrefix bytes.CutSuffix bytes.FieldsFuncSeq bytes.FieldsSeq bytes.Lines
bytes.SplitAfterSeq bytes.SplitSeq context.AfterFunc context.CancelCauseFunc context.Cause context.WithCancelCause
context.WithDeadlineCause context.WithTimeoutCause context.WithoutCancel encoding/base64.NewDecoder
encoding/binary.Append encoding/binary.Decode encoding/binary.Encode encoding/hex.AppendDecode
encoding/hex.AppendEncode errors.ErrUnsupported errors.Join flag.BoolFunc fmt.FormatString go/ast.IsGenerated
go/ast.Preorder go/ast.Unparen hash/maphash.Comparable hash/maphash.WriteComparable image/draw.RGBA64Image
io/fs.FormatDirEntry io/fs.FormatFileInfo io/fs.SkipAll io.NewOffsetWriter io.OffsetWriter net/http.HTTP2Config
net/http.NewResponseController net/http.ParseCookie net/http.ParseSetCookie net/http.Protocols
net/http.ResponseController net.ErrClosed net.KeepAliveConfig os.CopyFS os.OpenInRoot os.OpenRoot os.Root
path/filepath.IsLocal path/filepath.Localize path/filepath.SkipAll reflect.SliceAt reflect.TypeFor
runtime.AddCleanup runtime.Cleanup runtime.PanicNilError runtime.Pinner strings.ContainsFunc strings.CutPrefix
strings.CutSuffix strings.FieldsFuncSeq strings.FieldsSeq strings.Lines strings.SplitAfterSeq strings.SplitSeq
sync/atomic.AndInt32 sync/atomic.AndInt64 sync/atomic.AndUint32 sync/atomic.AndUint64 sync/atomic.OrInt32
sync/atomic.OrInt64 sync/atomic.OrUint32 sync/atomic.OrUint64 sync.OnceFunc sync.OnceValue sync.OnceValues
testing.Testing time.DateOnly time.DateTime time.TimeOnly
"""


def go_members():
    """Writes the packages that providers.txt names, each with what it exports, as Go's own files of its interface list it."""
    provided = (HERE / "go/providers.txt").read_text(encoding="utf-8")
    members = {it: set() for it in re.findall(r'import "(.*)"', provided)}
    for file in pathlib.Path(output(["go", "env", "GOROOT"])[0], "api").glob("go1*.txt"):
        said = file.read_text(encoding="utf-8")
        for package, name in re.findall(r"^pkg (\S+)(?: \([^)]*\))?, (?:func|type|var|const) ([A-Z]\w*)", said, re.M):
            members.get(package, set()).add(name)
    for package, name in (it.rsplit(".", 1) for it in GO_NEWER.split()):
        members[package].add(name)
    # System calls are those of one system, and the formats of object files have a thousand constants.
    left_out = ("syscall", "unsafe", "debug/dwarf", "debug/elf", "debug/macho", "debug/pe")
    listed = {package: sorted(names) for package, names in members.items() if names and package not in left_out}
    lines = sorted(f"{package} {' '.join(names)}\n" for package, names in listed.items())
    (HERE / "go/members.txt").write_text("".join(lines), encoding="utf-8")


RUST_PRELUDE = """
Option Some None Result Ok Err Vec String Box ToString ToOwned Clone Copy Send Sized Sync Unpin Drop Fn FnMut FnOnce AsMut
AsRef From Into TryFrom TryInto FromIterator Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator Default Eq
PartialEq Ord PartialOrd Debug Hash drop bool char str f32 f64 i16 i32 i64 i128 isize u16 u32 u64 u128 usize std core self
Self super crate true false assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str line matches module_path
option_env panic print println stringify thread_local todo unimplemented unreachable vec write writeln
"""

GO_PRELUDE = """
append any bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64 imag
int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune string true uint uint16
uint32 uint64 uint8 uintptr
"""

JAVA_PRELUDE = "true false null this super boolean byte char double float int long short void"


def prelude(language):
    """The names that every file of a language has; none where they are not known."""
    if language == "python":
        import builtins

        return set(dir(builtins)) - set("copyright credits exit quit license help".split()) | {"__name__"}
    if language == "javascript":
        script = "console.log(Object.getOwnPropertyNames(globalThis).join('\\n'))"
        more = "require module exports undefined null true false this super document window"
        return set(output(["node", "--no-warnings", "-e", script])) - {"escape", "unescape"} | set(more.split())
    if language == "java":
        home = pathlib.Path(shutil.which("javac") or "").resolve().parent.parent
        listed = output([str(home / "bin/jimage"), "list", "--include", "regex:/java.base/java/lang/[A-Z][A-Za-z]*.class",
                         str(home / "lib/modules")])
        classes = [it.strip().removesuffix(".class").replace("/", ".") for it in listed if "java/lang/" in it]
        shown = "\n".join(output(["javap", "-public", *classes]))
        declared = re.findall(r"^public .*?(?:class|interface|enum) java\.lang\.([A-Za-z]+)", shown, re.M)
        return set(declared) | set(JAVA_PRELUDE.split())
    return set({"rust": RUST_PRELUDE, "go": GO_PRELUDE}.get(language, "").split())


def words():
    """Writes the list of words."""
    found = set(TERMS.split())
    for name in ("american-english", "british-english"):
        lines = pathlib.Path("/usr/share/dict", name).read_text(encoding="utf-8").splitlines()
        found |= {it for it in lines if re.fullmatch("[a-z]{4,}", it)}
    kept = sorted(it for it in found if not (it.endswith("s") and it[:-1] in found))
    (HERE / "words.txt").write_text(WORDS_HEAD + "".join(f"{it}\n" for it in kept), encoding="utf-8")


def output(command):
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(command[0])
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def main(ids):
    makers = {
        it.__name__: it for it in (c, cpp, csharp, go, java, javascript, lua, php, python, ruby, rust)
    }
    for name in ids or [*makers, "words"]:
        try:
            if name == "words":
                words()
                continue
            names = makers[name]()
        except (OSError, IndexError, StopIteration) as missing:
            print(f"{name}: left as it is: {missing}")
            continue
        # In Go a name in capitals may well be a function.
        has_constants = name != "go"
        names = sorted(
            it for it in names if NAME.match(it) and len(it) > 1 and not (has_constants and it.isupper())
        )
        (HERE / name / "library.txt").write_text("".join(f"{it}\n" for it in names), encoding="utf-8")
        common = sorted(it for it in prelude(name) if NAME.match(it) and len(it) > 2)
        if common:
            (HERE / name / "prelude.txt").write_text("".join(f"{it}\n" for it in common), encoding="utf-8")
        print(f"{name}: {len(names)} names, {len(common)} of them everywhere")


if __name__ == "__main__":
    main(sys.argv[1:])
