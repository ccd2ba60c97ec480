"""Stages compared with their floors: dense ones with their two products, CSR ones with their bytes, multiply-adds and
cache lines, and two threads with one."""


def run(suite):
    with suite.case("machine"):
        output = suite.kernel("machine").output
        rates = output["multiply_adds_per_second"]
        suite.add("speed of the machine, all threads", notes=f"{output['threads']} threads: "
                  f"{output['bytes_per_second'] / 1e9:.1f} GB read from memory, {rates['f32'] / 1e9:.1f} billion multiply-adds "
                  f"in f32, {rates['f64'] / 1e9:.1f} in f64, one factor from the nearest cache")
    for rank, most in suite.size(((20, 6), (100, 5)), ((20, 4),)):
        for precision in ("f32", "f64"):
            for power in range(3, most + 1):
                dense(suite, precision, 10**power, rank)
    for precision in ("f32", "f64"):
        for samples, per_row in suite.size(((200_000, 10), (20_000, 100), (20_000, 1000)), ((20_000, 10), (2000, 100))):
            sparse(suite, precision, samples, per_row)
    with suite.case("two threads"):
        for row in suite.kernel("threads", suite.size(20_000, 4000)).output["rows"]:
            suite.add(f"stage on two threads, {row['what']}", rival="one thread", rival_seconds=row["one"],
                      our_seconds=row["two"], goal=">= 1.85")


def dense(suite, precision, samples, rank, features=500):
    what = f"dense stage, {precision}, {samples} x {features}, rank {rank}"
    with suite.case(what):
        output = suite.kernel("dense", precision, samples, features, rank).output
        for name, goal in (("most_active", "<= 1.15"), ("few_active", "")):
            stage = output[name]
            suite.add(f"{what}, {100 * stage['active']:.0f} % active", rival="its two bare products", unit="(stage / products)",
                      rival_seconds=output["products"], our_seconds=stage["seconds"], goal=goal,
                      ratio=stage["seconds"] / output["products"])


def sparse(suite, precision, samples, per_row, features=10_000, rank=20):
    what = f"CSR stage, {precision}, {samples} x {features}, {100 * per_row / features:g} %, rank {rank}"
    with suite.case(what):
        output = suite.kernel("sparse", precision, samples, features, rank, per_row).output
        sides = {"lines of rows": output["floor_of_rows"], "multiply-adds": output["floor_of_multiply_adds"], "bytes": output["floor_of_bytes"]}
        side = max(sides, key=sides.get)
        others = ", ".join(f"{1000 * seconds:.2g} ms for {name}" for name, seconds in sides.items() if name != side)
        suite.add(what, rival="its floor", unit="(stage / floor)", rival_seconds=output["floor"], our_seconds=output["seconds"],
                  ratio=output["seconds"] / output["floor"], goal="<= 1.5",
                  notes=f"{side} decide; {others}. {output['bytes_of_rows'] / 1e6:.0f} MB of lines read at "
                        f"{output['rows_read_per_second'] / 1e9:.0f} and updated at "
                        f"{output['rows_updated_per_second'] / 1e9:.0f} GB/s; {output['bytes'] / 1e6:.0f} MB at {output['bytes_per_second'] / 1e9:.1f} GB/s, "
                        f"{output['multiply_adds'] / 1e6:.0f} million multiply-adds at "
                        f"{output['multiply_adds_per_second'] / 1e9:.1f} billion/s; {100 * output['active']:.0f} % active")
        values = max(output["floor_of_values"], output["floor_of_multiply_adds"], output["floor_of_bytes"])
        suite.add(what, rival="its floor if caches moved single values", unit="(stage / floor)", rival_seconds=values,
                  our_seconds=output["seconds"], ratio=output["seconds"] / values)
