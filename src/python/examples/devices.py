"""The devices of this machine; a context on one of them."""
# %%
import glshape

for number, device in enumerate(glshape.devices()):
    print(number, device.renderer or device.why)

# %%
with glshape.Context(device=0, gpu_memory="1G") as context:
    print(context, glshape.knn([[0, 0], [1, 1], [5, 5]], 1, context=context).index.ravel())
