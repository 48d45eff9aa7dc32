// Screens to which the console's first files lead, and the bulk work that they offer: known without the contract and the rules, which load with their screens.

/** Bulk work that revokes. */
export const revokeAction = 'revocation.revoke'
/** Bulk work that puts on hold, and that ends holds. */
export const holdAction = 'revocation.hold'
export const releaseAction = 'revocation.release'

export const revokeAuthorityPath = '/pki/manage/certificate-authorities/:id/revoke'

/** For holders who see no certificates. */
export const revokeOwnPath = '/credentials/certificates/mine/:certId/revoke'
