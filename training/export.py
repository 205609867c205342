"""Turn a trained table into the files of `src/periplus/search/model`."""

import argparse
import json
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=Path("src/periplus/search/model"))
    parser.add_argument("--version", required=True)
    options = parser.parse_args()
    trained = np.load(options.table)
    options.model.mkdir(parents=True, exist_ok=True)
    np.save(options.model / "table.npy", trained["table"])
    weights = np.exp(np.stack([trained["goal_weight"], trained["tool_weight"]]))
    np.save(options.model / "weights.npy", (weights / weights.mean()).astype(np.float16))
    (options.model / "vocab.txt").write_text("\n".join(str(x) for x in trained["vocab"]), encoding="utf-8")
    path = options.model / "model.json"
    settings = json.loads(path.read_text()) if path.exists() else {}
    # Examples were not a field of the training text; they are read as a description is.
    field, shrink = trained["field"].tolist(), trained["shrink"].tolist()
    settings |= {
        "version": options.version,
        "field": [round(x, 4) for x in [*field, field[2]]],
        "shrink": [round(x, 4) for x in [*shrink, shrink[2]]],
    }
    path.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
