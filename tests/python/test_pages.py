"""Pages of --picture NAME.html in headless Chromium: no errors, hover, selection, and a saved selection that equals the
data. Where Chromium or selenium is missing, they are skipped."""
import csv
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import numpy as np

import glshape

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
MISSING = ("python3-selenium is not installed" if webdriver is None else "Chromium is not installed" if not BROWSER
           else "chromedriver (chromium-driver) is not installed" if not DRIVER else None)
NASTY = ["</script><script>alert(1)</script>", 'a "quote"', "comma, comma", "<b>bold</b> & more", "zwei\u2028drei", "-->",
         "\u00e9\u4e2d\U0001f600", "' OR 1=1", "\\u003c", "x" * 300, "</script x"]


def shape(*arguments):
    done = subprocess.run([os.environ["GLSHAPE"], *arguments], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


@unittest.skipIf(MISSING, MISSING)
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900",
                         "--user-data-dir=" + os.path.join(cls.folder, "profile")):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": cls.folder})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(options=options, service=webdriver.chrome.service.Service(DRIVER))
        cls.browser.set_script_timeout(60)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def open(self, page):
        """Opens a page, a path or bytes, and waits until it is drawn. There is nothing in the console."""
        if isinstance(page, bytes):
            with open(self.path("page.html"), "wb") as file:
                file.write(page)
            page = self.path("page.html")
        self.browser.get("file://" + page)
        self.drawn()
        self.assertEqual(self.browser.get_log("browser"), [])

    def drawn(self):
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))")

    def script(self, text, *arguments):
        return self.browser.execute_script("const page = glshapePage;" + text, *arguments)

    def canvas(self, panel=0):
        return self.browser.find_elements(By.CSS_SELECTOR, ".stage canvas:last-child")[panel]

    def pointer(self, x, y, panel=0):
        """Actions that begin with the pointer at a place of a panel, as whole() gives it."""
        left, top = self.corner(panel)
        actions = ActionChains(self.browser, duration=0)
        actions.w3c_actions.pointer_action.move_to_location(round(left + x), round(top + y))
        return actions

    def corner(self, panel=0):
        return self.browser.execute_script(
            "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top]", self.canvas(panel))

    def whole(self, x, y, panel=0):
        """The place of a panel that the pointer can have: at a whole pixel of the window."""
        corner = np.array(self.corner(panel))
        return np.round(corner + (x, y)) - corner

    def place(self, row, panel=0):
        return self.script("const p = page.panels[arguments[1]]; return [p.camera.x(p.view.x[arguments[0]]),"
                           "p.camera.y(p.view.y[arguments[0]])]", row, panel)

    def selected(self):
        return self.script("return page.selection.size ? Array.from(page.selection.rows()) : []")

    def save(self):
        """The rows of the CSV that the page saves."""
        path = self.path("selection.csv")
        if os.path.exists(path):
            os.remove(path)
        self.browser.find_element(By.ID, "save").click()
        for _ in range(200):
            if os.path.exists(path):
                break
            time.sleep(0.05)
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def click(self, text):
        self.browser.find_element(By.XPATH, f"//button[normalize-space()='{text}']").click()

    # ---- layouts ----

    def layout(self):
        rng = np.random.default_rng(3)
        points = rng.normal(size=(40, 5))
        names = NASTY + [f"row {k}" for k in range(40 - len(NASTY))]
        classes = [("</script>", "b")[k % 2] for k in range(40)]
        with open(self.path("points.csv"), "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["who", "class"] + [f"c{k}" for k in range(5)])
            rows.writerows([n, c, *p] for n, c, p in zip(names, classes, points))
        shape("mds", self.path("points.csv"), "--index", "who", "--labels", "class", "-q", "-o", self.path("layout.csv"),
              "--picture", self.path("layout.html"))
        with open(self.path("layout.csv"), newline="", encoding="utf-8") as file:
            return names, classes, list(csv.reader(file))[1:]

    def test_names_are_text(self):
        names, classes, layout = self.layout()
        self.open(self.path("layout.html"))
        places = np.array([self.place(row) for row in range(len(names))])
        for row in (*range(11), 17):
            self.pointer(*self.place(row)).perform()
            tip = self.browser.find_element(By.ID, "tip")
            self.assertTrue(tip.is_displayed())
            found = self.script("return page.hovered")
            lines = tip.get_attribute("innerText").split("\n")
            self.assertEqual(found, np.hypot(*(places - self.whole(*places[row])).T).argmin())
            self.assertEqual(self.script("return document.querySelector('#tip b').textContent"), names[found])
            self.assertIn("class: " + classes[found], lines)
            self.assertEqual(float(lines[1].split(": ")[1]), float(layout[found][1]))
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        near = [(a, b) for a, b in np.argwhere((apart > 9) & (apart < 32)) if a < b]
        self.assertGreater(len(near), 3)
        for a, b in near[:12]:  # between two points the nearer one counts
            for part in (0.4, 0.6):
                at = self.whole(*places[a] * part + places[b] * (1 - part))
                self.pointer(*at).perform()
                self.assertEqual(self.script("return page.hovered"), np.hypot(*(places - at).T).argmin())
        self.assertEqual(self.script("return document.scripts.length"), 2)
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_all_that_is_saved_is_the_layout(self):
        names, classes, layout = self.layout()
        self.open(self.path("layout.html"))
        saved = self.save()
        self.assertEqual(saved[0], ["name", "x1", "x2", "class"])
        self.assertEqual([row[0] for row in saved[1:]], names)
        self.assertEqual([row[3] for row in saved[1:]], classes)
        got = np.array([row[1:3] for row in saved[1:]], np.float32)
        np.testing.assert_array_equal(got, np.array([row[1:3] for row in layout], np.float32))

    def test_box(self):
        names, _, layout = self.layout()
        self.open(self.path("layout.html"))
        places = np.array([self.place(row) for row in range(40)])
        (left, top), (right, bottom) = (self.whole(*at) for at in np.percentile(places, [20, 75], axis=0))
        self.click("Select box")
        self.pointer(left, top).click_and_hold().move_by_offset(round(right - left), round(bottom - top)).release().perform()
        inside = [k for k, (x, y) in enumerate(places) if left < x < right and top < y < bottom]
        self.assertGreater(len(inside), 3)
        self.assertEqual(self.selected(), inside)
        self.assertIn(f"{len(inside)} of 40 points selected", self.browser.find_element(By.ID, "selected").text)
        self.assertEqual([row[0] for row in self.save()[1:]], [names[k] for k in inside])
        self.browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
        self.assertEqual(self.selected(), [])

    def test_lasso_and_what_is_added(self):
        self.layout()
        self.open(self.path("layout.html"))
        x, y = self.place(20)
        self.click("Select lasso")
        around = self.pointer(x - 12, y - 12).click_and_hold()
        for step in ((24, 0), (0, 24), (-24, 0)):
            around.move_by_offset(*step)
        around.release().perform()
        first = self.selected()
        self.assertIn(20, first)
        self.click("Pan")
        ActionChains(self.browser).key_down(Keys.SHIFT).perform()
        self.pointer(*self.place(31)).click().perform()
        ActionChains(self.browser).key_up(Keys.SHIFT).perform()
        self.assertEqual(len(self.selected()), len(first) + 1)

    def test_zoom_and_pan(self):
        self.layout()
        self.open(self.path("layout.html"))
        before, place = self.script("return page.panels[0].camera.sx"), self.whole(*self.place(12))
        at = self.script("const c = page.panels[0].camera; return [c.dataX(arguments[0]), c.dataY(arguments[1])]", *place)
        self.browser.execute_script(
            "const c = arguments[0], b = c.getBoundingClientRect(); c.dispatchEvent(new WheelEvent('wheel', {deltaY: -400,"
            "clientX: b.left + arguments[1], clientY: b.top + arguments[2], cancelable: true}))", self.canvas(), *place)
        self.drawn()
        self.assertGreater(self.script("return page.panels[0].camera.sx"), 1.5 * before)
        self.assert_at(at, place)
        self.pointer(*place).click_and_hold().move_by_offset(30, 20).release().perform()
        self.assert_at(at, np.add(place, (30, 20)))
        self.assertEqual(self.selected(), [])
        self.click("Show all")
        self.assertEqual(self.script("return page.panels[0].camera.sx"), before)

    def assert_at(self, data, place):
        got = self.script("const c = page.panels[0].camera; return [c.x(arguments[0]), c.y(arguments[1])]", *data)
        np.testing.assert_allclose(got, place, atol=1e-6)

    def test_search(self):
        self.layout()
        self.open(self.path("layout.html"))
        self.browser.find_element(By.ID, "search").send_keys("<B>", Keys.ENTER)
        self.assertEqual(self.selected(), [3])

    def test_few_points(self):
        for points in ([[0, 0]], [[1, 2]] * 7, [[1e30, -1e30], [-1e30, 1e30]], [[1e-40, 0], [2e-40, 1e-40]],
                       [[5, 0], [5, 1]], [[1, 1e300], [2, -1e300]]):
            self.open(scatter_page(np.array(points, float)))
            x, y = self.place(0)
            self.pointer(x, y).perform()
            self.assertIn("point ", self.browser.find_element(By.ID, "tip").text)
            saved = self.save()[1:]
            np.testing.assert_array_equal(np.array([row[1:] for row in saved], float), points)

    def test_a_line(self):
        self.open(scatter_page(np.array([[0.1], [0.2], [5]])))
        self.assertEqual([row[1] for row in self.save()], ["x1", "0.1", "0.2", "5"])

    def test_none(self):
        self.open(scatter_page(np.zeros((0, 2))))
        self.assertEqual(self.save(), [["point", "x1", "x2"]])

    def test_a_million(self):
        """The page is small enough, its points can be found, and a frame takes a fraction of a second."""
        rng = np.random.default_rng(5)
        points = rng.normal(size=(1000000, 2)).astype(np.float32)
        page = scatter_page(points, np.arange(1000000) % 5)
        self.assertLess(len(page), 16e6)
        self.open(page)
        self.click("Select box")
        (left, top), (right, bottom) = self.whole(400, 200), self.whole(600, 350)
        self.pointer(400, 200).click_and_hold().move_by_offset(200, 150).release().perform()
        corner = self.script("const c = page.panels[0].camera, a = arguments; return [c.dataX(a[0]), c.dataX(a[1]),"
                             "c.dataY(a[2]), c.dataY(a[3])]", left, right, bottom, top)
        x, y = points.astype(float).T
        inside = np.flatnonzero((x > corner[0]) & (x < corner[1]) & (y > corner[2]) & (y < corner[3]))
        self.assertEqual(self.script("return page.selection.size"), len(inside))
        saved = np.array([row for row in self.save()[1:]])
        np.testing.assert_array_equal(saved[:, 0].astype(int), inside)
        np.testing.assert_array_equal(saved[:, 1:3].astype(np.float32), points[inside])
        taken = self.script("const p = page.panels[0], c = p.below.getContext('2d'), t = performance.now();"
                            "for (let k = 0; k < 5; k++) p.view.draw(c, p); return (performance.now() - t) / 5")
        self.assertLess(taken, 1000)
        if os.environ.get("GLSHAPE_TEST_HUNT"):
            print(f"a million points: {len(page) / 1e6:.1f} MB, {taken:.0f} ms a frame", flush=True)


    # ---- other pages ----

    def rows(self, name):
        with open(self.path(name), newline="") as file:
            return list(csv.reader(file))

    def cloud(self):
        rng = np.random.default_rng(8)
        points = np.r_[rng.normal(size=(60, 2)) * 0.3, rng.normal(size=(60, 2)) * 0.3 + 4, rng.random((20, 2)) * 6 - 1]
        np.savetxt(self.path("cloud.csv"), points, delimiter=",")
        return self.path("cloud.csv")

    def numbers(self, rows):
        return sorted(map(tuple, np.array(rows, float)))

    def test_persistence(self):
        """What is saved are the command's intervals; what is selected in the diagram are the bars of that box."""
        shape("rips", "--input", "points", self.cloud(), "-q", "-o", self.path("i.csv"), "--picture", self.path("i.html"))
        written = self.rows("i.csv")
        self.open(self.path("i.html"))
        saved = self.save()
        self.assertEqual(saved[0], ["interval", "birth", "death", "dim"])
        self.assertEqual(self.numbers([[r[3], *r[1:3]] for r in saved[1:]]), self.numbers([r[:3] for r in written[1:]]))
        loops = [k for k, row in enumerate(saved[1:]) if row[3] == "1"]
        self.browser.find_element(By.XPATH, "//button[contains(., 'dimension 1')]").click()
        self.assertEqual(self.selected(), loops)
        row = max(loops, key=lambda k: float(saved[1 + k][2]) - float(saved[1 + k][1]))
        x, y = self.place(row, 1)
        self.click("Select box")
        self.pointer(x - 5, y - 5, 1).click_and_hold().move_by_offset(10, 10).release().perform()
        self.assertIn(row, self.selected())
        self.pointer(*self.bar(row)).perform()
        self.assertEqual(self.script("return page.hovered"), row)

    def bar(self, row):
        return self.script("const p = page.panels[0], s = p.view.span(arguments[0], p);"
                           "return [(s[0] + s[1]) / 2, p.view.middle(arguments[0], p)]", row)

    def test_bars(self):
        """A box over all bars selects all; one over the upper half, those in it."""
        field = np.random.default_rng(2).random((9, 9))
        np.save(self.path("f.npy"), field)
        for falling in ((), ("--superlevel",)):
            shape("cubical", self.path("f.npy"), *falling, "-q", "-o", self.path("c.csv"), "--picture", self.path("c.html"))
            self.open(self.path("c.html"))
            count = self.script("return page.table.count")
            self.assertEqual(count, len(self.rows("c.csv")) - 1)
            middles = np.array([self.bar(k) for k in range(count)])
            self.assertTrue(np.all(middles > 0))
            self.click("Select box")
            edge = self.whole(0, np.median(middles[:, 1]))[1]
            self.pointer(18, 2).click_and_hold().pause(0).move_by_offset(520, round(edge) - 2).release().perform()
            half = self.selected()
            self.assertTrue(set(half) <= set(np.flatnonzero(middles[:, 1] < edge + 2)))
            self.assertGreater(len(half), count // 4)

    def test_clusters(self):
        """A click on an icicle selects the points of its cluster."""
        shape("hdbscan", self.cloud(), "--min-cluster-size", "20", "-q", "-o", self.path("h.csv"), "--picture",
              self.path("h.html"))
        labels = np.array(self.rows("h.csv"), int).ravel()
        self.open(self.path("h.html"))
        self.assertEqual([int(r[-1]) for r in self.save()[1:]], labels.tolist())
        for cluster in range(2):
            c, inside = self.script("const v = page.panels[1].view, c = v.label.indexOf(arguments[0] + 1);"
                                    "return [c, Array.from(v.order.subarray(v.left[c], v.left[c] + v.size[c]))]", cluster)
            self.assertTrue(set(np.flatnonzero(labels == cluster)) <= set(inside))
            place = self.script("const p = page.panels[1], v = p.view, c = arguments[0];"
                                "return [p.camera.x(v.left[c] + v.size[c] / 2),"
                                "(p.camera.y(v.level(v.birth[c])) + p.camera.y(v.level(v.death[c]))) / 2]", c)
            self.pointer(*place, 1).click().perform()
            self.assertEqual(self.selected(), sorted(inside))

    def test_dendrogram(self):
        """A click on a node selects what scipy's tree has below it."""
        from scipy.cluster.hierarchy import linkage, to_tree
        path = self.cloud()
        shape("linkage", path, "--clusters", "2", "-q", "--labels-out", self.path("k.csv"), "--picture", self.path("k.html"))
        self.open(self.path("k.html"))
        tree = to_tree(linkage(np.loadtxt(path, delimiter=","), "single"))
        wanted = {frozenset(tree.left.pre_order()), frozenset(tree.right.pre_order())}
        found = set()
        for side in (0, 1):
            place = self.script(
                "const p = page.panels[0], v = p.view, root = v.count - 1, c = v.child(root, arguments[0]);"
                "return [p.camera.x((v.height(root) + v.height(c)) / 2), p.camera.y(-v.place[c])]", side)
            self.pointer(*place).click().perform()
            found.add(frozenset(self.selected()))
        self.assertEqual(found, wanted)
        labels = np.array(self.rows("k.csv"), int).ravel()
        self.assertEqual([int(row[1]) for row in self.save()[1:]], labels[self.selected()].tolist())

    def test_merge_tree(self):
        field = np.random.default_rng(1).normal(size=(12, 17))
        np.save(self.path("m.npy"), field)
        shape("mergetree", self.path("m.npy"), "-q", "--diagram", self.path("m.csv"), "--picture", self.path("m.html"))
        written = [row[:2] for row in self.rows("m.csv")[1:]]
        self.open(self.path("m.html"))
        self.assertEqual(self.numbers([row[1:3] for row in self.save()[1:]]), self.numbers(written))
        place = self.script("const p = page.panels[2]; return [p.camera.x(3.5), p.camera.y(-2.5)]")
        self.pointer(*place, 2).click().perform()
        branch = self.script("return page.panels[2].view.cells[2 * 17 + 3]")
        self.assertEqual(self.selected(), [branch])

    def test_alpha(self):
        shape("alpha", self.cloud(), "--alpha", "0.5", "-q", "--picture", self.path("a.html"))
        self.open(self.path("a.html"))
        np.testing.assert_array_equal(np.array([row[1:] for row in self.save()[1:]], float),
                                      np.loadtxt(self.path("cloud.csv"), delimiter=","))

    def test_nothing_and_one(self):
        """Pages of no interval, one point, and constant fields."""
        np.save(self.path("one.npy"), np.ones((1, 3)))
        np.save(self.path("flat.npy"), np.full((4, 5), 7.0))
        for arguments in (("rips", "--input", "points", "one.npy"), ("linkage", "one.npy"), ("mergetree", "flat.npy"),
                          ("cubical", "flat.npy"), ("hdbscan", "one.npy")):
            done = subprocess.run([os.environ["GLSHAPE"], *arguments, "-q", "--picture", "n.html"], cwd=self.folder,
                                  capture_output=True, text=True)
            if done.returncode == 0:
                self.open(self.path("n.html"))
                self.save()


def scatter_page(points, labels=None):
    from glshape import _picture
    return _picture.draw(*_picture.scatter(points, labels), "html", None, 0, 0)


if __name__ == "__main__":
    unittest.main()
