"""The categories of some inputs as numbers: what each adds to the log-odds of the classes.

A logistic regression with a constant a_k and an effect b_jck of each category c of those inputs j gives a row
the scores, and with them the chances, of the K classes:

    z_k = a_k + sum_j b_jck,   q_k = exp(z_k)/sum_l exp(z_l)                                       (1)

It learns in order, a row at a time, by an extended Kalman filter whose covariance is kept diagonal. With
P_jck the information gathered about an effect, `prior` what there is before any row, w the weight of the row,
and K/(K - 1) what the sum of the q, which is 1, adds to the curvature where all are alike,

    v_jk = 1/(prior + P_jck),   e_k = [y = k] - q_k,   h_k = w q_k (1 - q_k) K/(K - 1)              (2)
    b_jck <- b_jck + v_jk w e_k/(1 + h_k sum_i v_ik),   P_jck <- decay P_jck + h_k                  (3)

where the constant, whose prior is 1 and whose decay 0.9999, is one of the i. So effects are learned beside
each other, not apart: a category whose labels the others of its rows explain has none, and one that was never
seen has 0.

The member sees the K - 1 differences b_jck - b_jc0, log-odds as against class 0, instead of the category: as
they were before the row was learned, or when it was observed if its label comes late. A category that is
missing has effects of its own, in place 0; codes from `most` on share the places of others. Inputs and
classes that come later get the places behind all others in a member's row.
"""

import numpy as np

from libc.math cimport floor, fmod

from thalweg._native import layout as layouts
from thalweg._native.layout import FLOAT, INDEX, Array, require

from thalweg._native.kept_rows cimport KeptRows, kept_by
from thalweg._native.kernel cimport Kernel
from thalweg._native.maths cimport clipped, softmax
from thalweg._native.pointers cimport doubles, integers
from .rewriting cimport RewritingKernel, rewriting_t

cdef extern from *:
    """
    #define MOST_EFFECT 20.0
    #define MOST_INFORMATION 1e120
    #define CONSTANT_DECAY 0.9999
    #define CONSTANT_PRIOR 1.0
    """
    const double MOST_EFFECT            # bound of |b|: odds of 500,000,000
    const double MOST_INFORMATION
    const double CONSTANT_DECAY
    const double CONSTANT_PRIOR

RARE = -2.3                             # constant of a new class: a tenth as likely as the rarest before
EFFECT = {"low": -MOST_EFFECT, "high": MOST_EFFECT}
INFORMATION = {"low": 0.0, "high": MOST_INFORMATION}
LAYOUT = {
    "input_place": Array(INDEX, "input", low=0, high="width", others=(-1,)),
    "value_place": Array(INDEX, "encoded", "value", low=0, high="width"),
    "effects": Array(FLOAT, "place", "encoded", "class", **EFFECT),
    "information": Array(FLOAT, "place", "encoded", "class", **INFORMATION),
    "constant": Array(FLOAT, "class", **EFFECT),
    "constant_information": Array(FLOAT, "class", **INFORMATION),
}

ctypedef struct effects_t:
    rewriting_t rows
    void* kernel                        # a CategoryEffectsKernel
    Py_ssize_t n_encoded
    Py_ssize_t n_classes
    Py_ssize_t n_values                 # K - 1, at least 1: numbers for a category
    Py_ssize_t n_places
    Py_ssize_t most
    double prior
    double decay
    const Py_ssize_t* encoded           # [encoded]: inputs
    const Py_ssize_t* input_place       # [input]: where it is in a member's row, -1 if it is encoded
    const Py_ssize_t* value_place       # [encoded, value]: the same
    double* effect                      # [place, encoded, class]: b
    double* information                 # [place, encoded, class]: P
    double* constant                    # [class]: a
    double* constant_information        # [class]
    double* z                           # [class]
    double* q                           # [class]
    double* spread                      # [class]: sum_i v_ik
    Py_ssize_t* at                      # [encoded]: where the effects of the row's category begin


cdef class CategoryEffectsKernel(RewritingKernel):
    """Calls a member with effects instead of categories; `encoded` are the inputs that have so many."""

    cdef effects_t core
    cdef dict apart

    def __init__(self, who, n_features, n_classes, encoded, n_categories, most, prior, decay, most_kept):
        cdef effects_t* c = &self.core
        n_encoded, n_values = len(encoded), max(n_classes - 1, 1)
        width = n_features + n_encoded * (n_values - 1)
        self.allocate(who, LAYOUT, {
            "input": n_features, "width": width, "encoded": n_encoded, "value": n_values, "place": None,
            "class": n_classes,
        }, {"place": 1 + min(max(n_categories, default=0), most)})
        plain = np.setdiff1d(np.arange(n_features), encoded)
        self.arrays["input_place"][:] = -1
        self.arrays["input_place"][plain] = np.arange(len(plain))
        self.arrays["value_place"][:] = np.arange(len(plain), width).reshape(n_encoded, n_values)
        self.arrays["encoded"] = np.array(encoded, dtype=INDEX)     # not part of a state
        self.apart = {"at": layouts.new_array(n_encoded, INDEX),
                      "numbers": layouts.new_array(3 * n_classes, FLOAT)}
        self.kept = KeptRows(who, n_encoded * n_values, most_kept,
                             {"low": -2 * MOST_EFFECT, "high": 2 * MOST_EFFECT})
        c.n_encoded, c.n_classes, c.n_values = n_encoded, n_classes, n_values
        c.most, c.prior, c.decay = most, prior, decay
        c.kernel = <void*> self
        c.rows.write_row, c.rows.write_to_learn, c.rows.keep = encode, encode_to_learn, keep_effects
        self.set_rewriting(&c.rows, n_features, n_classes, width, "value_place")
        self.bind()

    cdef void bind(self):
        cdef effects_t* c = &self.core
        c.n_places, c.rows.kept = len(self.arrays["effects"]), kept_by(self)
        c.encoded, c.input_place = integers(self.arrays["encoded"]), integers(self.arrays["input_place"])
        c.value_place = integers(self.arrays["value_place"])
        c.effect, c.information = doubles(self.arrays["effects"]), doubles(self.arrays["information"])
        c.constant = doubles(self.arrays["constant"])
        c.constant_information = doubles(self.arrays["constant_information"])
        c.at, c.z = integers(self.apart["at"]), doubles(self.apart["numbers"])
        c.q, c.spread = c.z + c.n_classes, c.z + 2 * c.n_classes

    def check(self, arrays):
        """Raise StateError unless the inputs that are not encoded, and the effects, have a place each."""
        n_places = len(arrays["effects"])
        good = np.array_equal(np.flatnonzero(arrays["input_place"] < 0), self.arrays["encoded"])
        require(good, self.who, "input_place", "must be -1 for the inputs with many categories alone")
        RewritingKernel.check(self, arrays)
        good = 1 <= n_places <= self.core.most + 1
        require(good, self.who, "effects", f"has {n_places} places, not 1 to {self.core.most + 1}")

    def inherit(self, Kernel old, double missing=0.0):
        """Continue from a kernel with fewer inputs or classes, whose places stay."""
        cdef CategoryEffectsKernel before = <CategoryEffectsKernel?> old
        new = self.later_places(before)
        n_places = max(len(before.arrays["effects"]), len(self.arrays["effects"]))
        for name in ("effects", "information", "constant", "constant_information"):
            found, shape = before.arrays[name], self.arrays[name].shape
            new[name] = layouts.new_array((n_places, *shape[1:]) if found.ndim == 3 else shape, FLOAT)
            new[name][tuple(slice(n) for n in found.shape)] = found
        if before.core.n_classes > 1:
            rare = max(float(before.arrays["constant"].min()) + RARE, -MOST_EFFECT)
            new["constant"][before.core.n_classes:] = rare
        self.inherit_kept(before)
        self.adopt(new)

    cdef bint grow(self, Py_ssize_t place) noexcept:
        # Room for twice as many categories, or more if this place needs it; return whether there is.
        n = min(max(2 * self.core.n_places, place + 1), self.core.most + 1)
        return self.adopt_computed(layouts.resized, (self.layout, self.arrays, "place", n))


cdef inline Py_ssize_t place_of(const effects_t* c, double value) noexcept nogil:
    # 0 if the category is missing or no code.
    if not value >= 0.0 or floor(value) != value:
        return 0
    return 1 + <Py_ssize_t> (value if value < c.most else fmod(value, <double> c.most))


cdef void encode(const void* state, const double* x, double* row) noexcept nogil:
    cdef const effects_t* c = <const effects_t*> state
    cdef Py_ssize_t i, j, k, place
    cdef const double* effect
    for i in range(c.rows.n_features):
        if c.input_place[i] >= 0:
            row[c.input_place[i]] = x[i]
    for j in range(c.n_encoded):
        place = place_of(c, x[c.encoded[j]])
        effect = c.effect + (place * c.n_encoded + j) * c.n_classes
        for k in range(c.n_values):
            row[c.value_place[j * c.n_values + k]] = 0.0
        if place < c.n_places:
            for k in range(c.n_classes - 1):
                row[c.value_place[j * c.n_values + k]] = effect[k + 1] - effect[0]


cdef bint find_categories(effects_t* c, const double* x) noexcept nogil:
    # Find where the effects of the row's categories are, with room for new ones; False if memory runs out.
    cdef Py_ssize_t j, place
    for j in range(c.n_encoded):
        place = place_of(c, x[c.encoded[j]])
        if place >= c.n_places:
            with gil:
                if not (<CategoryEffectsKernel> c.kernel).grow(place):
                    return False
        c.at[j] = (place * c.n_encoded + j) * c.n_classes
    return True


cdef void find_chances(effects_t* c) noexcept nogil:
    cdef Py_ssize_t j, k
    for k in range(c.n_classes):
        c.z[k] = c.constant[k]
        c.spread[k] = 1.0 / (CONSTANT_PRIOR + c.constant_information[k])
        for j in range(c.n_encoded):
            c.z[k] += c.effect[c.at[j] + k]
            c.spread[k] += 1.0 / (c.prior + c.information[c.at[j] + k])                             # (2)
    softmax(c.z, c.q, c.n_classes)                                                                  # (1)


cdef inline void move(double* effect, double* information, double prior, double decay, double step,
                      double curvature) noexcept nogil:
    effect[0] = clipped(effect[0] + step / (prior + information[0]), MOST_EFFECT)                   # (3)
    information[0] = min(decay * information[0] + curvature, MOST_INFORMATION)


cdef void learn_effects(effects_t* c, const double* x, Py_ssize_t y, double w) noexcept nogil:
    cdef Py_ssize_t j, k, at
    cdef double curvature, step, all_classes
    if c.n_encoded == 0 or c.n_classes < 2 or not find_categories(c, x):
        return
    find_chances(c)
    all_classes = <double> c.n_classes / (c.n_classes - 1)
    for k in range(c.n_classes):
        curvature = w * c.q[k] * (1.0 - c.q[k]) * all_classes                                       # (2)
        step = w * ((1.0 if y == k else 0.0) - c.q[k]) / (1.0 + curvature * c.spread[k])
        move(c.constant + k, c.constant_information + k, CONSTANT_PRIOR, CONSTANT_DECAY, step, curvature)
        for j in range(c.n_encoded):
            at = c.at[j] + k
            move(c.effect + at, c.information + at, c.prior, c.decay, step, curvature)


cdef void encode_to_learn(void* state, const double* x, Py_ssize_t y, double w,
                          const double* kept) noexcept nogil:
    # Learns the effects too.
    cdef effects_t* c = <effects_t*> state
    cdef Py_ssize_t i
    encode(state, x, c.rows.row)
    if kept != NULL:
        for i in range(c.n_encoded * c.n_values):
            c.rows.row[c.value_place[i]] = kept[i]
    learn_effects(c, x, y, w)


cdef void keep_effects(const void* state, double* kept) noexcept nogil:
    cdef const effects_t* c = <const effects_t*> state
    cdef Py_ssize_t i
    for i in range(c.n_encoded * c.n_values):
        kept[i] = c.rows.row[c.value_place[i]]
