"""Keys and their numbers: 0, 1, 2, … in the order in which keys first occurred.

Two tables with open addressing: one for whole numbers of 64 bits, one for texts and all other keys, which
come as bytes and a kind (keys.py). A table holds the number of a key plus 1, and 0 where it is empty; at
least half of its places are empty, and no key lies more than MOST_PROBES places from where its hash says: a
table where one would is doubled.

Both tables begin with random numbers of the process. For texts the hash is SipHash, made so that who does not
know these numbers cannot choose texts that collide. For whole numbers a quick mixing function is used, which
has no such proof; but no two of them have the same hash, so doubling parts them.

`stable_hashes`, by which keys are shared out over buckets, is the same everywhere: folders and Spark depend
on it. Whoever chooses keys can therefore send all of them to one bucket. That makes the work uneven, and no
bucket slower than its keys.
"""

import os

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    int64_t PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define fetch_line(address)
    #else
    #define fetch_line(address) __builtin_prefetch((address), 0, 3)
    #endif
    """
    void fetch_line(const void* address) noexcept nogil

cdef extern from "thalweg/keyed/_native/siphash.h":
    uint64_t siphash(const char* text, size_t n, uint64_t kind, uint64_t key_0, uint64_t key_1) noexcept nogil

cdef enum:
    AHEAD = 8                           # keys whose places are fetched into the cache
    WHOLE = 0                           # kinds of keys: a whole number,
    TEXT = 1                            # text, or one of the others, which keys.py encodes
    FIRST_ROOM = 64
    MOST_BYTES = 1 << 30                # of one key
    MOST_PROBES = 256                   # by chance, of 10**9 keys not one needs so many
    SPARSEST = 64                       # places for each key, at the most

cdef char NOTHING = 0                   # where a text of no bytes lies
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECOND_SEED = int.from_bytes(os.urandom(8), "little")


ctypedef struct entry_t:
    uint64_t hash                       # or the whole number itself
    int64_t number                      # + 1; 0 if the place is empty

ctypedef struct table_t:
    entry_t* entry
    Py_ssize_t room                     # a power of 2
    Py_ssize_t n


cdef inline uint64_t mixed(uint64_t a) noexcept nogil:
    a = (a ^ (a >> 32)) * 0xd6e8feb86659fd93ULL
    a = (a ^ (a >> 32)) * 0xd6e8feb86659fd93ULL
    return a ^ (a >> 32)


cdef inline uint64_t stable_hash(const char* text, Py_ssize_t n) noexcept nogil:
    cdef uint64_t found = mixed(<uint64_t> n + (<uint64_t> TEXT << 56)), word
    while n >= 8:
        memcpy(&word, text, 8)
        found = (found ^ word) * 0x9e3779b97f4a7c15ULL
        found ^= found >> 29
        text += 8
        n -= 8
    word = 0
    memcpy(&word, text, n)
    return mixed(found ^ word)


cdef class KeyIndex:
    """A number for each key; `find…` methods write the numbers of keys, -1 for those that are not there."""

    cdef table_t whole
    cdef table_t texts
    cdef int64_t* value                 # [number]: the whole number, or where its bytes begin in `bytes`
    cdef int32_t* length                # [number]: of these bytes
    cdef uint8_t* kind                  # [number]
    cdef Py_ssize_t room                # numbers there is memory for
    cdef char* bytes
    cdef Py_ssize_t n_bytes
    cdef Py_ssize_t bytes_room
    cdef readonly Py_ssize_t n

    def __dealloc__(self):
        free(self.whole.entry)
        free(self.texts.entry)
        free(self.value)
        free(self.length)
        free(self.kind)
        free(self.bytes)

    def __len__(self):
        return self.n

    @property
    def nbytes(self):
        """Bytes of memory."""
        tables = (self.whole.room + self.texts.room) * sizeof(entry_t)
        return tables + self.room * (sizeof(int64_t) + sizeof(int32_t) + 1) + self.bytes_room

    def find_whole(self, const int64_t[::1] keys, Py_ssize_t[::1] numbers, bint adds):
        """Write the numbers of whole numbers; if it `adds`, new ones get the next."""
        cdef Py_ssize_t i, place, n = keys.shape[0]
        check_length(n, numbers.shape[0])
        for i in range(n):
            if i + AHEAD < n and self.whole.room:
                place = mixed(SEED ^ <uint64_t> keys[i + AHEAD]) & (self.whole.room - 1)
                fetch_line(self.whole.entry + place)
            numbers[i] = self.find_one_whole(keys[i], adds)

    def find_text(self, const int64_t[::1] border, const uint8_t[::1] text, Py_ssize_t[::1] numbers,
                  bint adds):
        """Write the numbers of texts in UTF-8: the i-th lies from border[i] to border[i + 1]."""
        cdef Py_ssize_t i, n = numbers.shape[0]
        cdef const char* start = <const char*> &text[0] if text.shape[0] else &NOTHING
        check_length(n, border.shape[0] - 1)
        for i in range(n):
            if not 0 <= border[i] <= border[i + 1] <= text.shape[0]:
                raise ValueError(f"text {i} lies beyond the {text.shape[0]} bytes of all")
            numbers[i] = self.find_bytes(start + border[i], border[i + 1] - border[i], TEXT, adds)

    def find_objects(self, list keys, Py_ssize_t[::1] numbers, bint adds, encode):
        """Write the numbers of any keys; encode(key) returns an int, a str, or a kind and bytes."""
        cdef Py_ssize_t i, n = len(keys)
        check_length(n, numbers.shape[0])
        for i in range(n):
            numbers[i] = self.find_key(keys[i], adds, encode)

    def find(self, key, bint adds, encode):
        """Return the number of one key, -1 if it is not there and not added."""
        return self.find_key(key, adds, encode)

    cdef Py_ssize_t find_key(self, key, bint adds, encode) except -2:
        cdef Py_ssize_t size
        cdef const char* text
        cdef int overflow = 0
        cdef int64_t number
        if PyUnicode_CheckExact(key):
            try:
                text = PyUnicode_AsUTF8AndSize(key, &size)
            except UnicodeEncodeError:  # half of a pair of surrogates
                return self.find_encoded(encode(key), adds)
            return self.find_bytes(text, size, TEXT, adds)
        if PyLong_CheckExact(key):
            number = PyLong_AsLongLongAndOverflow(key, &overflow)
            if not overflow:
                return self.find_one_whole(number, adds)
        found = encode(key)
        if type(found) is tuple:
            return self.find_encoded(found, adds)
        return self.find_key(found, adds, encode)

    cdef Py_ssize_t find_encoded(self, found, bint adds) except -2:
        cdef bytes data = found[1]
        return self.find_bytes(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), found[0], adds)

    cdef Py_ssize_t find_one_whole(self, int64_t key, bint adds) except -2:
        cdef table_t* t = &self.whole
        cdef uint64_t start = mixed(SEED ^ <uint64_t> key)
        cdef Py_ssize_t place = -1, left = MOST_PROBES
        if t.room:
            place = start & (t.room - 1)
            while t.entry[place].number and left:
                if t.entry[place].hash == <uint64_t> key:
                    return t.entry[place].number - 1
                place, left = (place + 1) & (t.room - 1), left - 1
        if not adds:
            return -1
        place = self.make_room(t, True, start, place if left else -1)
        self.value[self.n], self.length[self.n], self.kind[self.n] = key, 0, WHOLE
        return self.put(t, <uint64_t> key, place)

    cdef Py_ssize_t find_bytes(self, const char* text, Py_ssize_t size, uint8_t kind, bint adds) except -2:
        cdef table_t* t = &self.texts
        cdef uint64_t found = siphash(text, size, kind, SEED, SECOND_SEED)
        cdef Py_ssize_t place = -1, number, left = MOST_PROBES
        if t.room:
            place = found & (t.room - 1)
            while t.entry[place].number and left:
                if t.entry[place].hash == found:
                    number = t.entry[place].number - 1
                    if (self.length[number] == size and self.kind[number] == kind
                            and memcmp(self.bytes + self.value[number], text, size) == 0):
                        return number
                place, left = (place + 1) & (t.room - 1), left - 1
        if not adds:
            return -1
        if size > MOST_BYTES:
            raise ValueError(f"a key has {size:,} bytes, at most {MOST_BYTES:,} are possible")
        place = self.make_room(t, False, found, place if left else -1)
        self.keep_bytes(text, size)
        self.value[self.n], self.length[self.n] = self.n_bytes - size, size
        self.kind[self.n] = kind
        return self.put(t, found, place)

    cdef Py_ssize_t put(self, table_t* t, uint64_t hash, Py_ssize_t place) noexcept:
        t.entry[place].hash, t.entry[place].number = hash, self.n + 1
        t.n += 1
        self.n += 1
        return self.n - 1

    cdef int keep_bytes(self, const char* text, Py_ssize_t size) except -1:
        if self.n_bytes + size >= self.bytes_room:
            self.bytes = <char*> longer(self.bytes, 3 * (self.n_bytes + size) // 2 + 1024)
            self.bytes_room = 3 * (self.n_bytes + size) // 2 + 1024
        memcpy(self.bytes + self.n_bytes, text, size)
        self.n_bytes += size
        return 0

    cdef Py_ssize_t make_room(self, table_t* t, bint is_whole, uint64_t start, Py_ssize_t place) except -1:
        # For one more key, among the numbers and in the table; return its place there: `place`, unless that
        # is -1 or the table is full.
        cdef Py_ssize_t room
        cdef bint fits
        if self.n == self.room:
            room = 3 * self.room // 2 + FIRST_ROOM
            self.value = <int64_t*> longer(self.value, room * sizeof(int64_t))
            self.length = <int32_t*> longer(self.length, room * sizeof(int32_t))
            self.kind = <uint8_t*> longer(self.kind, room)
            self.room = room
        if 2 * (t.n + 1) > t.room:
            place = -1
        room = t.room
        while place < 0:
            room = max(2 * room, <Py_ssize_t> FIRST_ROOM)
            if room > SPARSEST * (t.n + FIRST_ROOM):
                raise ValueError("a key's hash is too near to those of many others: they were chosen so")
            fits = replace_entries(t, room, is_whole)
            if fits:
                place = empty_place(t.entry, room, start)
        return place

    def key(self, Py_ssize_t number):
        """Return a key by its number: an int, a str, or its kind and bytes."""
        if not 0 <= number < self.n:
            raise IndexError(number)
        if self.kind[number] == WHOLE:
            return self.value[number]
        data = PyBytes_FromStringAndSize(self.bytes + self.value[number], self.length[number])
        return data.decode(errors="replace") if self.kind[number] == TEXT else (self.kind[number], data)

    def content(self):
        """Return all keys as three arrays: kinds, whole numbers or lengths, and the bytes of all others."""
        cdef Py_ssize_t i
        all_kinds, all_values = np.zeros(self.n, np.uint8), np.zeros(self.n, np.int64)
        cdef uint8_t[::1] kinds = all_kinds
        cdef int64_t[::1] values = all_values
        for i in range(self.n):
            kinds[i] = self.kind[i]
            values[i] = self.value[i] if self.kind[i] == WHOLE else self.length[i]
        text = PyBytes_FromStringAndSize(self.bytes, self.n_bytes)
        return all_kinds, all_values, np.frombuffer(text, np.uint8).copy()


def stable_hashes(const int64_t[::1] border, const uint8_t[::1] text, uint64_t[::1] hashes):
    """Write a hash of each text in UTF-8, the same on every machine; see `KeyIndex.find_text`."""
    cdef Py_ssize_t i, n = hashes.shape[0]
    cdef const char* start = <const char*> &text[0] if text.shape[0] else &NOTHING
    check_length(n, border.shape[0] - 1)
    for i in range(n):
        if not 0 <= border[i] <= border[i + 1] <= text.shape[0]:
            raise ValueError(f"text {i} lies beyond the {text.shape[0]} bytes of all")
        hashes[i] = stable_hash(start + border[i], border[i + 1] - border[i])


cdef Py_ssize_t empty_place(const entry_t* entry, Py_ssize_t room, uint64_t start) noexcept nogil:
    # The place for a new key, -1 if it would lie too far from where its hash says.
    cdef Py_ssize_t _i, place = start & (room - 1)
    for _i in range(MOST_PROBES):
        if not entry[place].number:
            return place
        place = (place + 1) & (room - 1)
    return -1


cdef int replace_entries(table_t* t, Py_ssize_t room, bint is_whole) except -1:
    # Move the entries to a larger table; return whether all lie near enough to where their hashes say.
    cdef Py_ssize_t i, place
    cdef uint64_t start
    cdef entry_t* entry = <entry_t*> calloc(room, sizeof(entry_t))
    if entry == NULL:
        raise MemoryError("no memory for more keys")
    for i in range(t.room):
        if t.entry[i].number:
            start = mixed(SEED ^ t.entry[i].hash) if is_whole else t.entry[i].hash
            place = empty_place(entry, room, start)
            if place < 0:
                free(entry)
                return 0
            entry[place] = t.entry[i]
    free(t.entry)
    t.entry, t.room = entry, room
    return 1


cdef void* longer(void* memory, size_t n_bytes) except NULL:
    cdef void* found = realloc(memory, n_bytes)
    if found == NULL:
        raise MemoryError("no memory for more keys")
    return found


cdef int check_length(Py_ssize_t wanted, Py_ssize_t n) except -1:
    if n != wanted:
        raise ValueError(f"{wanted} keys and room for {n} numbers")
    return 0


def index_of(const uint8_t[::1] kinds, const int64_t[::1] values, const uint8_t[::1] text):
    """Return the index with the keys that `content` returned; raise ValueError if they do not fit."""
    cdef KeyIndex index = KeyIndex()
    cdef Py_ssize_t i, start = 0
    check_length(kinds.shape[0], values.shape[0])
    for i in range(kinds.shape[0]):
        if kinds[i] == WHOLE:
            index.find_one_whole(values[i], True)
        elif not 0 <= values[i] <= text.shape[0] - start:
            raise ValueError("a key is longer than the bytes of all")
        else:
            index.find_bytes(<const char*> &text[0] + start if text.shape[0] else &NOTHING, values[i],
                             kinds[i], True)
            start += values[i]
    if index.n != kinds.shape[0] or start != text.shape[0]:
        raise ValueError("a key is there twice, or bytes are left over")
    return index
