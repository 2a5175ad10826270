"""Boosting on a window that slides: IBoost, and AdaBoost trained again from scratch.

A row comes in, the oldest goes out, and the members' answers on the new row are kept with it. IBoost then

    drops the member of least weight if there is to be a new one and no room for it,          (1)
    changes the members' weights (loss_steps.pyx),                                            (2)
    trains a new member on the rows' shares of the loss (loss_window.pyx), if one is due,     (3)
    and drops members of negative weight, changing the others' weights again.                 (4)

A new member of error e, which is cut to 0.001 … 0.999, has for K classes the weight

    alpha = 1/2 log((K-1)(1-e)/e),   and is refused if that is not above 0.                   (5)

AdaBoost drops all members instead and does (3) until there are as many as allowed, or one is refused. K is
the number of classes seen so far, at least 2. The probabilities are

    p_k ~ exp(2 V_k),   V_k the weight of the members that answer k, for classes seen.        (6)

The vote's weight in all may be capped: alpha *= cap/sum if the sum is above the cap.      (7)

What a row causes may take long, so it is done in stages (`progress`), of which each is done or not: what a
signal stopped is done before the next row is learned, and the model becomes what it would have been.
"""

from libc.math cimport exp, log
from libc.stdint cimport int64_t

from thalweg.drift._native.adwin cimport adwin_update
from .loss_steps cimport NONE, take_steps
from .loss_window cimport (
    append_answers, change_alpha, compute_shares, is_right, is_stopped, remove_all_members, remove_member,
    scale_alphas, set_answers, set_classes,
)
from thalweg._native.maths cimport likeliest
from thalweg._native.ring cimport drop_oldest, place_of, row_at
from .trained_members cimport ADDED, REFUSED, STOPPED
from .stumps cimport find_stump, insert_row, stump_class, stump_t, take_out_row

cdef double LEAST_ERROR = 1e-3
cdef double TIE = 1e-12                 # a weight of rounding errors
cdef Py_ssize_t MOST_STOPS = 100        # of members written in Python, which stop whether they may or not
cdef double NUMBERS_OF_A_PREDICTION = 1000.0     # gone through, as is_stopped counts them


cdef inline Py_ssize_t answer(iboost_t* c, Py_ssize_t m, const double* x, double* memory) noexcept nogil:
    # The class that member m answers.
    if c.member == NULL:
        return stump_class(c.sorted.n_categories, c.stump_feature[m], c.stump_threshold[m],
                           c.stump_classes + 2 * m, x)
    c.member[m].predict(c.member[m].state, x, memory, memory + c.n_classes)
    return likeliest(memory, c.n_classes)


cdef void boost_vote(iboost_t* c, const double* x, double* p, double* memory,
                     Py_ssize_t* output) noexcept nogil:
    cdef Py_ssize_t m, k
    cdef double top = -1e300, total = 0.0
    for k in range(c.n_classes):
        p[k] = 0.0
    for m in range(c.window.n_members):
        if c.window.born[m]:
            k = answer(c, m, x, memory)
            p[k] += c.window.alpha[m]
            if output != NULL:
                output[m] = k
    for k in range(c.n_classes):
        if c.seen[k]:
            top = max(top, p[k])
            total += 1.0
    if total == 0:
        for k in range(c.n_classes):
            p[k] = 1.0 / c.n_classes
        return
    total = 0.0
    for k in range(c.n_classes):
        p[k] = exp(2.0 * (p[k] - top)) if c.seen[k] else 0.0                                # (6)
        total += p[k]
    for k in range(c.n_classes):
        p[k] /= total


cdef void boost_predict(void* state, const double* x, double* p, double* scratch) noexcept nogil:
    boost_vote(<iboost_t*> state, x, p, scratch, NULL)


cdef void boost_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number) noexcept nogil:
    boost_predict_learn(state, x, y, w, number, (<iboost_t*> state).p)


cdef void boost_predict_learn(void* state, const double* x, Py_ssize_t y, double w, int64_t number,
                              double* p) noexcept nogil:
    cdef iboost_t* c = <iboost_t*> state
    cdef Py_ssize_t n
    cdef bint was_wrong, due
    if c.progress[STAGE] != DONE:
        boost_finish(c, False)
    n = count_members(c)
    boost_vote(c, x, p, c.votes, c.output)
    was_wrong = n == 0 or likeliest(p, c.n_classes) != y
    boost_slide(c, x, y, w, was_wrong)
    c.progress[ROWS] += 1
    due = n == 0 or (c.progress[ROWS] % c.period == 0 and (was_wrong or c.adding == ALWAYS))
    if c.from_scratch:
        if due:
            boost_from_scratch(c)
    elif due and not (c.adding == UNTIL_FULL and n == c.window.n_members):
        if n == c.window.n_members:
            remove(c, superfluous(c))                                                       # (1)
        c.progress[STAGE], c.progress[LEFT] = IMPROVE_AND_ADD, c.n_updates
    else:
        c.progress[STAGE], c.progress[LEFT] = IMPROVE, c.n_updates
    if c.progress[STAGE] != DONE:
        boost_finish(c, True)


cdef void boost_improve(iboost_t* c) noexcept nogil:
    if c.window.rows.span.count > 0:
        c.progress[STAGE], c.progress[LEFT] = IMPROVE_AGAIN, c.n_updates
        boost_finish(c, True)


cdef void boost_from_scratch(iboost_t* c) noexcept nogil:
    cdef Py_ssize_t m
    for m in range(c.window.n_members):
        if c.member != NULL and c.window.born[m]:
            c.drop(c.kernel, m)
    remove_all_members(&c.window)
    c.progress[STAGE] = FILL


cdef void boost_finish(iboost_t* c, bint may_stop) noexcept nogil:
    cdef Py_ssize_t n_stops = 0
    c.window.may_stop, c.window.work = may_stop, 0.0
    while c.progress[STAGE] != DONE and n_stops < (1 if may_stop else MOST_STOPS):
        n_stops += not finish_stage(c)


cdef bint finish_stage(iboost_t* c) noexcept nogil:
    # Do one stage and say which follows; return False if a signal stopped it.
    cdef Py_ssize_t stage = c.progress[STAGE]
    cdef outcome_t outcome
    cdef bint is_last
    if stage == IMPROVE_AND_ADD or stage == IMPROVE or stage == IMPROVE_AGAIN:              # (2), (4)
        if not improve(c):
            return False
    if stage == IMPROVE_AND_ADD:
        c.progress[STAGE] = ADD
    elif stage == ADD or stage == FILL:
        outcome = add_member(c)                                                             # (3)
        if outcome == STOPPED:
            return False
        if stage == ADD:
            clean_up(c)
        elif outcome == REFUSED or count_members(c) == c.window.n_members:
            is_last = c.start == NULL or c.window.rows.span.count < c.window.rows.room
            c.progress[STAGE] = DONE if is_last else START
    elif stage == START:
        if not c.start(c.method):
            return False
        c.progress[STAGE] = DONE
    elif stage == IMPROVE:
        clean_up(c)
    else:
        limit(c)
        c.progress[STAGE] = DONE
    return True


cdef void clean_up(iboost_t* c) noexcept nogil:
    c.progress[STAGE], c.progress[LEFT] = IMPROVE_AGAIN, c.n_updates if remove_negative(c) else 0     # (4)


cdef Py_ssize_t count_members(const iboost_t* c) noexcept nogil:
    cdef Py_ssize_t m, n = 0
    for m in range(c.window.n_members):
        n += c.window.born[m] > 0
    return n


cdef void boost_see_class(iboost_t* c, Py_ssize_t y) noexcept nogil:
    cdef Py_ssize_t k, n_seen = 0
    if not c.seen[y]:
        c.seen[y] = 1
        for k in range(c.n_classes):
            n_seen += c.seen[k]
        set_classes(&c.window, n_seen)


cdef Py_ssize_t boost_slide(iboost_t* c, const double* x, Py_ssize_t y, double w,
                            bint was_wrong) noexcept nogil:
    # Put a row at the window's end, drop what is too old; return where the new row is.
    cdef Py_ssize_t slot
    boost_see_class(c, y)
    if c.window.rows.span.count == c.window.rows.room:
        forget_oldest(c)
    slot = append_answers(&c.window, x, y, w, c.output)
    if c.member == NULL:
        insert_row(&c.sorted, &c.window, slot)
    if c.adwin != NULL and adwin_update(c.adwin, was_wrong) != 0:
        while c.window.rows.span.count > max(c.adwin.width, 1.0):
            forget_oldest(c)
    return slot


cdef void forget_oldest(iboost_t* c) noexcept nogil:
    if c.member == NULL:
        take_out_row(&c.sorted, &c.window, c.window.rows.span.first)
    drop_oldest(&c.window.rows)


cdef bint improve(iboost_t* c) noexcept nogil:
    cdef Py_ssize_t newest = place_of(&c.window.rows, c.window.rows.span.count - 1)
    if c.update == NONE or c.progress[LEFT] == 0:
        return True
    return take_steps(&c.window, c.update, c.rate, c.progress + LEFT, newest)


cdef void limit(iboost_t* c) noexcept nogil:
    cdef Py_ssize_t m
    cdef double total = 0.0
    if c.cap == 0:
        return
    for m in range(c.window.n_members):
        total += max(c.window.alpha[m], 0.0)
    if total > c.cap:
        scale_alphas(&c.window, c.cap / total)                                              # (7)


cdef void remove(iboost_t* c, Py_ssize_t m) noexcept nogil:
    remove_member(&c.window, m)
    if c.member != NULL:
        c.drop(c.kernel, m)


cdef bint remove_negative(iboost_t* c) noexcept nogil:
    cdef Py_ssize_t m
    cdef bint found = False
    for m in range(c.window.n_members):
        if c.window.alpha[m] < 0:
            remove(c, m)
            found = True
    return found


cdef Py_ssize_t superfluous(iboost_t* c) noexcept nogil:
    # The member to remove when there is no room.
    cdef Py_ssize_t m, age, n_right, best = 0
    cdef double value, least = 1e300
    for m in range(c.window.n_members):
        if c.removal == LIGHTEST:
            value = c.window.alpha[m]
        elif c.removal == OLDEST:
            value = <double> c.window.born[m]
        else:
            n_right = 0
            for age in range(c.window.rows.span.count):
                n_right += is_right(&c.window, m, place_of(&c.window.rows, age))
            value = <double> n_right
        if value < least:
            best, least = m, value
    return best


cdef outcome_t add_member(iboost_t* c) noexcept nogil:
    # Train a member on the rows' shares of the loss and add it, unless its error is too large.
    cdef Py_ssize_t m = 0
    cdef outcome_t outcome
    cdef stump_t stump
    cdef bint is_good
    while c.window.born[m]:
        m += 1
    compute_shares(&c.window, 0.0, NULL)
    if c.member == NULL:
        if not find_stump(&c.sorted, &c.window, &stump):
            return STOPPED
        judge_stump(c, m, stump)
        return ADDED if add_with_error(c, m) else REFUSED
    outcome = c.train(c.kernel)
    if outcome != ADDED:
        return outcome
    is_good = add_with_error(c, m)
    c.put(c.kernel, m if is_good else -1)
    return ADDED if is_good else REFUSED


cdef void judge_stump(iboost_t* c, Py_ssize_t m, stump_t stump) noexcept nogil:
    cdef Py_ssize_t age, slot
    c.stump_feature[m], c.stump_threshold[m] = stump.feature, stump.threshold
    c.stump_classes[2 * m], c.stump_classes[2 * m + 1] = stump.left, stump.right
    for age in range(c.window.rows.span.count):
        slot = place_of(&c.window.rows, age)
        c.right[slot] = answer(c, m, row_at(&c.window.rows, slot), NULL) == c.window.rows.y[slot]


cdef bint judge_member(void* core, const learner_t* h) noexcept nogil:
    cdef iboost_t* c = <iboost_t*> core
    cdef Py_ssize_t age, slot
    for age in range(c.window.rows.span.count):
        slot = place_of(&c.window.rows, age)
        h.predict(h.state, row_at(&c.window.rows, slot), c.votes, c.votes + c.n_classes)
        c.right[slot] = likeliest(c.votes, c.n_classes) == c.window.rows.y[slot]
        if is_stopped(&c.window, NUMBERS_OF_A_PREDICTION):
            return False
    return True


cdef bint add_with_error(iboost_t* c, Py_ssize_t m) noexcept nogil:
    # Add member m, right[slot] on the rows of the window, unless its error is too large; whether it was.
    cdef Py_ssize_t age, slot
    cdef double error = 0.0, alpha
    for age in range(c.window.rows.span.count):
        slot = place_of(&c.window.rows, age)
        if not c.right[slot]:
            error += c.window.share[slot]
    error = min(max(error, LEAST_ERROR), 1.0 - LEAST_ERROR)
    alpha = 0.5 * log(-c.window.right / c.window.wrong * (1.0 - error) / error)             # (5)
    if not alpha > TIE:
        return False
    c.progress[BUILT] += 1
    c.window.born[m] = c.progress[BUILT]
    set_answers(&c.window, m, c.right)
    change_alpha(&c.window, m, alpha)
    return True
