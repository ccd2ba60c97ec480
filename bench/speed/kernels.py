"""Stages beside the work that they cannot avoid: dense ones beside their two products, CSR ones beside their bytes,
multiply-adds and rows, and two threads beside one."""


def run(suite):
    with suite.case("machine"):
        told = suite.kernel("machine").told
        rates = told["multiply_adds_per_second"]
        suite.add("what the machine does in a second, on all threads", notes=f"{told['threads']} threads: "
                  f"{told['bytes_per_second'] / 1e9:.1f} GB read from memory, {rates['f32'] / 1e9:.1f} billion multiply-adds "
                  f"in f32, {rates['f64'] / 1e9:.1f} in f64, one factor from the nearest cache")
    for rank, most in suite.size(((20, 6), (100, 5)), ((20, 4),)):
        for precision in ("f32", "f64"):
            for power in range(3, most + 1):
                dense(suite, precision, 10**power, rank)
    for precision in ("f32", "f64"):
        for samples, per_row in suite.size(((200_000, 10), (20_000, 100), (20_000, 1000)), ((20_000, 10), (2000, 100))):
            sparse(suite, precision, samples, per_row)
    with suite.case("two threads"):
        for row in suite.kernel("threads", suite.size(20_000, 4000)).told["rows"]:
            suite.add(f"stage on two threads, {row['what']}", rival="one thread", rival_seconds=row["one"],
                      our_seconds=row["two"], goal=">= 1.85")


def dense(suite, precision, samples, rank, features=500):
    what = f"dense stage, {precision}, {samples} x {features}, rank {rank}"
    with suite.case(what):
        told = suite.kernel("dense", precision, samples, features, rank).told
        for name, goal in (("most_active", "<= 1.15"), ("few_active", "")):
            stage = told[name]
            suite.add(f"{what}, {100 * stage['active']:.0f} % active", rival="its two bare products", unit="(stage / products)",
                      rival_seconds=told["products"], our_seconds=stage["seconds"], goal=goal,
                      ratio=stage["seconds"] / told["products"])


def sparse(suite, precision, samples, per_row, features=10_000, rank=20):
    what = f"CSR stage, {precision}, {samples} x {features}, {100 * per_row / features:g} %, rank {rank}"
    with suite.case(what):
        told = suite.kernel("sparse", precision, samples, features, rank, per_row).told
        sides = {"lines of rows": told["floor_of_rows"], "multiply-adds": told["floor_of_multiply_adds"], "bytes": told["floor_of_bytes"]}
        side = max(sides, key=sides.get)
        others = ", ".join(f"{1000 * seconds:.2g} ms for {name}" for name, seconds in sides.items() if name != side)
        suite.add(what, rival="its floor", unit="(stage / floor)", rival_seconds=told["floor"], our_seconds=told["seconds"],
                  ratio=told["seconds"] / told["floor"], goal="<= 1.5",
                  notes=f"{side} decide; {others}. {told['bytes_of_rows'] / 1e6:.0f} MB of lines read at "
                        f"{told['rows_read_per_second'] / 1e9:.0f} and updated at "
                        f"{told['rows_updated_per_second'] / 1e9:.0f} GB/s; {told['bytes'] / 1e6:.0f} MB at {told['bytes_per_second'] / 1e9:.1f} GB/s, "
                        f"{told['multiply_adds'] / 1e6:.0f} million multiply-adds at "
                        f"{told['multiply_adds_per_second'] / 1e9:.1f} billion/s; {100 * told['active']:.0f} % active")
        values = max(told["floor_of_values"], told["floor_of_multiply_adds"], told["floor_of_bytes"])
        suite.add(what, rival="its floor if caches moved single values", unit="(stage / floor)", rival_seconds=values,
                  our_seconds=told["seconds"], ratio=told["seconds"] / values)
