//! Ids of reports, states and results.

pub fn new_uuid() -> String {
    let bits = rand::random::<u128>();
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let digits = format!("{bits:032x}");
    let parts = [
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..],
    ];
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_the_form_of_version_4_and_differs_from_the_next() {
        let id = new_uuid();
        assert_eq!((id.len(), &id[14..15]), (36, "4"));
        assert!("89ab".contains(&id[19..20]), "{id}");
        assert_ne!(id, new_uuid());
    }
}
