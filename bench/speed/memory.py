"""Peak memory beside the samples compared with the promised bound, and allocations per stage."""


def run(suite):
    with suite.case("memory beside the samples"):
        for row in suite.kernel("memory", suite.size(50_000, 5000)).output["rows"]:
            suite.add(f"beside the samples: {row['what']}", unit="(of the promise)", ratio=row["beside"] / row["promise"],
                      goal="<= 1", rival="promise", rival_peak=row["promise"], our_peak=row["beside"],
                      notes=f"samples {row['samples'] / 1e6:.0f} MB")
    with suite.case("allocations"):
        output = suite.kernel("allocations").output
        for row in output["rows"]:
            suite.add(f"allocations: {row['what']}", unit="per stage", ratio=row["per_stage"], goal="< 1",
                      notes=f"{row['bytes'] / 1e6:.3g} MB per stage, mean of {output['stages']} stages")
