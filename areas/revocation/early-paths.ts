// Screens to which the console's first files lead: known without the shapes of the contract, which load with their screens.

export const revokeAuthorityPath = '/pki/manage/certificate-authorities/:id/revoke'

/** For holders who see no certificates. */
export const revokeOwnPath = '/credentials/certificates/mine/:certId/revoke'
