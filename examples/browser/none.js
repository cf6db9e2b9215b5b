// Parts of Node that a page needs none of.
export default {};
