// The path of the form, for the help panel, which is drawn before the contract is loaded.

export const addPath = '/support/ticket/add'
