/* A run without a device: facts, stages, notes and progress of one call. */
#include "run/run.h"

#include <string.h>

#include "base/clock.h"
#include "base/owned.h"
#include "suites.h"

static run *r;

/* The fractions that the caller has heard; it says stop at the one of this number. */
static double heard[16];
static int count, stop;

static bool hear(void *user, double fraction) {
    ck_assert_ptr_eq(user, heard);
    heard[count++] = fraction;
    return count != stop;
}

static void open_run(void) {
    count = stop = 0;
    r = run_new((run_options){.progress = hear, .user = heard});
    ck_assert_ptr_nonnull(r);
    run_begin_method(r, false);
}

static void close_run(void) { run_free(r); }

START_TEST(facts_add_up_by_name) {
    glshape_fact out[4];
    run_fact(r, 1, "edges in dimension %d", 1);
    run_fact(r, 2, "edges in dimension %d", 2);
    run_fact(r, 0.5, "edges in dimension %d", 1);
    ck_assert_int_eq(run_facts(r, out, 4), 2);
    ck_assert_str_eq(out[0].name, "edges in dimension 1");
    ck_assert_double_eq(out[0].value, 1.5);
    ck_assert_double_eq(out[1].value, 2);
    ck_assert_int_eq(run_facts(r, out, 1), 1);
    run_begin_method(r, false);
    ck_assert_int_eq(run_facts(r, out, 4), 0);
}
END_TEST

/* More than there is room for are left out, and those that are there still add up. */
START_TEST(facts_end_where_there_is_no_room) {
    static glshape_fact out[1000];
    for (int i = 0; i < 1000; i++) run_fact(r, 1, "%d", i);
    int most = run_facts(r, out, 1000);
    ck_assert_int_lt(most, 1000);
    run_fact(r, 1, "0");
    run_fact(r, 1, "999");
    ck_assert_int_eq(run_facts(r, out, 1000), most);
    ck_assert_double_eq(out[0].value, 2);
    ck_assert_double_eq(out[most - 1].value, 1);
}
END_TEST

static void wait_for_the_clock(void) {
    double start = wall_seconds();
    while (wall_seconds() - start < 0.002) continue;
}

START_TEST(a_stage_goes_on) {
    glshape_stage_facts out[4];
    run_begin_stage(r, "sort", RUN_NOT_SMALL);
    wait_for_the_clock();
    {
        OWNED_BY(run_end_within) run_within inner = run_begin_within(r, "search", RUN_FOR_PASSES);
        (void)inner;
        wait_for_the_clock();
    }
    int outer = run_stage(r);
    run_begin_stage(r, "sort", RUN_NOT_FASTER);
    run_begin_stage(r, "sort", RUN_NOT_SMALL);
    ck_assert_int_eq(run_stage(r), outer);
    run_stage_facts(r, outer)->bytes_up += 7;
    run_end_stage(r);
    ck_assert_int_eq(run_stages(r, out, 4), 3);
    ck_assert_str_eq(out[0].stage, "sort");
    ck_assert_str_eq(out[0].why, "the work is small");
    ck_assert_uint_eq(out[0].bytes_up, 7);
    ck_assert(!out[0].on_device && out[1].on_device && !out[2].on_device);
    ck_assert_double_ge(out[0].seconds, 0.002);
    ck_assert_double_ge(out[1].seconds, 0.002);
    ck_assert_str_eq(out[2].why, "the processors are faster");
    run_begin_method(r, true);
    ck_assert_int_eq(run_stages(r, out, 4), 3);
    run_begin_method(r, false);
    ck_assert_int_eq(run_stages(r, out, 4), 0);
}
END_TEST

/* A stage whose place is known once it is done, as that of opening a device. */
START_TEST(a_stage_began_before) {
    glshape_stage_facts out[2];
    double since = wall_seconds();
    run_begin_stage(r, "method", RUN_FOR_NAME);
    int stage = run_stage(r);
    run_end_stage(r);
    wait_for_the_clock();
    run_begin_stage_since(r, "open", RUN_NOT_THERE, since);
    run_resume_stage(r, stage);
    ck_assert_int_eq(run_stage(r), stage);
    ck_assert_int_eq(run_stages(r, out, 2), 2);
    ck_assert_str_eq(out[1].stage, "open");
    ck_assert_double_ge(out[1].seconds, 0.002);
    ck_assert_double_lt(out[0].seconds, out[1].seconds);
}
END_TEST

/* More stages than there is room for leave the current one as it is. */
START_TEST(stages_end_where_there_is_no_room) {
    static char names[100][8];
    static glshape_stage_facts out[100];
    for (int i = 0; i < 100; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        run_begin_stage(r, names[i], RUN_FOR_PASSES);
    }
    int most = run_stages(r, out, 100);
    ck_assert_int_lt(most, 100);
    ck_assert_int_eq(run_stage(r), most - 1);
    for (int i = 0; i < most; i++) ck_assert_str_eq(out[i].stage, names[i]);
}
END_TEST

START_TEST(progress_goes_up) {
    ck_assert_int_eq(run_tick(r, 0.5), GLSHAPE_OK);
    run_set_span(r, 0.5, 0.75);
    ck_assert_int_eq(run_tick(r, 0), GLSHAPE_OK);
    ck_assert(run_go_on(r, 1));
    ck_assert_int_eq(run_tick(r, 0.5), GLSHAPE_OK); /* it does not go down */
    ck_assert_int_eq(run_tick_again(r), GLSHAPE_OK);
    const double expected[] = {0.5, 0.5, 0.75, 0.75, 0.75};
    ck_assert_int_eq(count, 5);
    ck_assert_mem_eq(heard, expected, sizeof expected);
    stop = 6;
    ck_assert(!run_go_on(r, 1));
    ck_assert_int_eq(run_error(r)->status, GLSHAPE_CANCELLED);
    ck_assert_str_eq(run_error(r)->text, "cancelled");
    run_set_progress(r, NULL, NULL);
    ck_assert_int_eq(run_tick(r, 1), GLSHAPE_OK);
    ck_assert_int_eq(count, 6);
}
END_TEST

START_TEST(hidden_work_is_not_seen) {
    glshape_fact facts[2];
    glshape_stage_facts stages[2];
    run_begin_stage(r, "method", RUN_FOR_PASSES);
    run_set_span(r, 0, 0.5);
    ck_assert_int_eq(run_tick(r, 0.5), GLSHAPE_OK);
    ck_assert(!run_hide(r, true));
    ck_assert(run_hide(r, true));
    stop = 2;
    run_set_span(r, 0.5, 1);
    ck_assert_int_eq(run_tick(r, 0.9), GLSHAPE_OK);
    run_fact(r, 1, "edges");
    run_begin_stage(r, "check", RUN_FOR_PASSES);
    {
        OWNED_BY(run_end_within) run_within inner = run_begin_within(r, "inner", RUN_FOR_PASSES);
        (void)inner;
    }
    ck_assert(run_hide(r, false));
    ck_assert_int_eq(run_facts(r, facts, 2), 0);
    ck_assert_int_eq(run_stages(r, stages, 2), 1);
    ck_assert_int_eq(run_stage(r), 0);
    stop = 0;
    ck_assert_int_eq(run_tick_again(r), GLSHAPE_OK);
    ck_assert_int_eq(count, 2);
    ck_assert_double_eq(heard[1], 0.25);
}
END_TEST

START_TEST(notes_are_said_once) {
    static char all[2000];
    ck_assert_str_eq(run_notes(r), "");
    run_note(r, "%s does it", "one");
    run_note(r, "%s does it", "another");
    run_note(r, "one does it");
    ck_assert_str_eq(run_notes(r), "one does it\nanother does it\n");
    for (int i = 0; i < 1000; i++) run_note(r, "%s %d", "one of many that has no room", i);
    strcpy(all, run_notes(r));
    run_note(r, "one more that has no room either, as it is no shorter than those");
    ck_assert_str_eq(run_notes(r), all);
    ck_assert_int_eq(all[strlen(all) - 1], '\n');
}
END_TEST

START_TEST(nobody_else_shares_the_work) {
    ck_assert_ptr_eq(run_ranks(r), &ranks_alone);
    ck_assert_str_eq(run_error(r)->text, "");
}
END_TEST

Suite *run_suite(void) {
    Suite *s = suite_create("run");
    TCase *t = tcase_create("run");
    tcase_add_checked_fixture(t, open_run, close_run);
    tcase_add_test(t, facts_add_up_by_name);
    tcase_add_test(t, facts_end_where_there_is_no_room);
    tcase_add_test(t, a_stage_goes_on);
    tcase_add_test(t, a_stage_began_before);
    tcase_add_test(t, stages_end_where_there_is_no_room);
    tcase_add_test(t, progress_goes_up);
    tcase_add_test(t, hidden_work_is_not_seen);
    tcase_add_test(t, notes_are_said_once);
    tcase_add_test(t, nobody_else_shares_the_work);
    suite_add_tcase(s, t);
    return s;
}
