/* glshape devices: every EGL device, usable or not and why. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/session.h"
#include "io/json.h"

#define MOST_DEVICES 32

static const char usage[] =
    "usage: glshape devices [OPTIONS]\n\n"
    "Lists every EGL device of this machine: its renderer, OpenGL version, limits and arithmetic\n"
    "self-test, how fast its doubles are, and the rates of each stage (bytes copied, and scattered\n"
    "fetches, a second). Lists the programs that its driver compiles too slowly or wrongly, as earlier\n"
    "commands have found: processors do their work. Says of a device that cannot be used why not, and\n"
    "where compiled programs are kept (GLSHAPE_CACHE).\n";

static void print_device(int index, const glshape_device *d) {
    if (!d->usable) {
        printf("%d  not usable: %s\n", index, d->why);
        return;
    }
    const glshape_limits *l = &d->limits;
    printf("%d  %s%s\n", index, d->renderer, d->software ? " (software)" : "");
    printf("   OpenGL %s, %s\n", d->version, d->vendor);
    printf("   textures %d x %d, %d image units, %d texture units, %d color attachments\n", l->texture_size,
           l->texture_size, l->image_units, l->texture_units, l->color_attachments);
    printf("   work groups of %d, %d of them, %d KiB shared memory\n", l->group_invocations, l->group_count,
           l->shared_bytes >> 10);
    if (!d->keeps_programs) printf("   its driver hands out no linked programs: none are kept\n");
    printf("   arithmetic: TwoSum %s, TwoProduct %s, multi-limb %s, doubles %s\n",
           d->two_sum ? "exact" : "NOT EXACT", d->two_product ? "exact" : "NOT EXACT",
           d->multi_limb ? "exact" : "NOT EXACT", d->doubles ? "right" : "NOT RIGHT");
    if (d->slow_doubles)
        printf(
            "   doubles are emulated or slow (%.3g times as long as floats): processors do the exact work\n",
            d->double_times);
    else printf("   doubles take %.3g times as long as floats\n", d->double_times);
    if (*d->left) printf("   left to the processors: %s\n", d->left);
    static const char *const stages[] = {"compute ", "fragment"};
    for (int s = 0; s < 2; s++)
        printf("   %s  copy %.4g GB/s, fetch %.3g G/s\n", stages[s], d->copy_rate[s] / 1e9,
               d->fetch_rate[s] / 1e9);
}

static void write_device(json *j, int index, const glshape_device *d) {
    static const char *const stages[] = {"compute", "fragment"};
    json_object_begin(j, NULL);
    json_integer(j, "index", index);
    json_bool(j, "usable", d->usable);
    json_string(j, "why", d->why);
    json_string(j, "renderer", d->renderer);
    json_string(j, "vendor", d->vendor);
    json_string(j, "version", d->version);
    json_bool(j, "software", d->software);
    json_bool(j, "keeps_programs", d->keeps_programs);
    json_object_begin(j, "limits");
    json_integer(j, "texture_size", d->limits.texture_size);
    json_integer(j, "image_units", d->limits.image_units);
    json_integer(j, "texture_units", d->limits.texture_units);
    json_integer(j, "color_attachments", d->limits.color_attachments);
    json_integer(j, "shared_bytes", d->limits.shared_bytes);
    json_integer(j, "group_invocations", d->limits.group_invocations);
    json_integer(j, "group_count", d->limits.group_count);
    json_object_end(j);
    json_object_begin(j, "arithmetic");
    json_bool(j, "two_sum", d->two_sum);
    json_bool(j, "two_product", d->two_product);
    json_bool(j, "multi_limb", d->multi_limb);
    json_bool(j, "doubles", d->doubles);
    json_bool(j, "slow_doubles", d->slow_doubles);
    json_number(j, "double_times", d->double_times);
    json_object_end(j);
    json_string(j, "left_to_processors", d->left);
    for (int s = 0; s < 2; s++) {
        json_object_begin(j, stages[s]);
        json_number(j, "copy_bytes_per_second", d->copy_rate[s]);
        json_number(j, "fetches_per_second", d->fetch_rate[s]);
        json_object_end(j);
    }
    json_object_end(j);
}

static void print_programs(const glshape_programs *p) {
    if (*p->folder)
        printf("programs are kept in %s: %zu, %.1f of at most %.0f MB\n", p->folder, p->count,
               1e-6 * (double)p->bytes, 1e-6 * (double)p->most_bytes);
    else printf("programs are not kept: there is no folder for them, or GLSHAPE_CACHE is off\n");
}

static void write_json(const glshape_device *devices, int count, const glshape_programs *p) {
    json j;
    json_open(&j, stdout);
    json_object_begin(&j, NULL);
    json_string(&j, "version", GLSHAPE_VERSION);
    json_array_begin(&j, "devices");
    for (int i = 0; i < count; i++) write_device(&j, i, &devices[i]);
    json_array_end(&j);
    json_object_begin(&j, "programs");
    json_string(&j, "folder", p->folder);
    json_unsigned(&j, "count", p->count);
    json_unsigned(&j, "bytes", p->bytes);
    json_unsigned(&j, "most_bytes", p->most_bytes);
    json_object_end(&j);
    json_object_end(&j);
}

int command_devices(int argc, char **argv, const char *command_line) {
    (void)command_line;
    bool as_json = false, help = false;
    const option_row rows[] = {
        {"--json", NULL, OPTION_FLAG, &as_json, NULL, "print JSON", 0},
        {"--help", "-h", OPTION_FLAG, &help, NULL, "show this text", 0},
        {0},
    };
    const option_row *const tables[] = {rows, NULL};
    int inputs;
    error err = {0};
    glshape_status status = options_parse(&err, argc, argv, tables, &inputs);
    if (!status && inputs)
        status = fail(&err, GLSHAPE_BAD_ARGUMENT, "'devices' takes no input, not '%s'", argv[1]);
    if (status) return options_report_misuse(&err, argv[0]);
    if (help) {
        options_help(usage, tables);
        return EXIT_DONE;
    }
    if (!session_is_first()) return EXIT_DONE;
    static glshape_device devices[MOST_DEVICES];
    int count, usable = 0;
    status = glshape_devices(devices, MOST_DEVICES, &count, true);
    if (status) {
        fprintf(stderr, "glshape: the devices cannot be listed: %s\n", glshape_status_text(status));
        return EXIT_FAILED;
    }
    if (count > MOST_DEVICES) count = MOST_DEVICES;
    for (int i = 0; i < count; i++) usable += devices[i].usable;
    glshape_programs programs;
    glshape_kept_programs(&programs);
    if (as_json) write_json(devices, count, &programs);
    else {
        for (int i = 0; i < count; i++) print_device(i, &devices[i]);
        print_programs(&programs);
    }
    if (usable) return EXIT_DONE;
    fprintf(stderr,
            "glshape: no usable OpenGL 4.3 device. Install a driver (Mesa's software renderer is the package "
            "libgl1-mesa-dri); in a container, check that the vendor's EGL JSON file is there\n");
    return EXIT_FAILED;
}
