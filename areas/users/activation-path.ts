/** The link by which an account is activated. Its page is of a room above (sessions); the mail with the link is sent from here. */
export const activationPath = '/activateaccount/:token'
