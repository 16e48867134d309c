"""In a pipeline of scikit-learn."""
# %%
from pathlib import Path

import numpy as np
from glshape.sklearn import MDS, SingleLinkage
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

tumours = np.load(Path(__file__).resolve().parents[3] / "data" / "cancer.npy")

# %%
print(make_pipeline(StandardScaler(), MDS(random_state=1)).fit_transform(tumours[:200])[:3])
print(make_pipeline(StandardScaler(), SingleLinkage(4)).fit_predict(tumours)[:10])
