//! The page on other engines shows the table of engines.

use rigor_peers::engine;

use crate::workspace::read;

const PAGE: &str = "docs/peers.md";

fn missing(page: &str) -> Vec<String> {
    let names = engine::table().iter().map(|engine| engine.name.as_str());
    let rows = engine::table()
        .iter()
        .filter_map(|engine| Some(format!("| {} | {} |\n", engine.title, engine.absent.as_ref()?)));
    rows.chain([engine::markdown(names)]).filter(|text| !page.contains(text)).collect()
}

#[test]
fn the_page_shows_every_engine() {
    crate::assert_none(&missing(&read(PAGE)));
}

#[test]
fn a_cell_that_is_not_on_the_page_is_found() {
    let page = read(PAGE);
    assert_eq!(missing(&page.replace("maximum of the two", "average of the two")).len(), 1);
    assert_eq!(missing(&page.replace("| RaiSim |", "| Raisim |")).len(), 1);
}
