/** Where an authority is revoked: known without the shapes of the contract, which load with their screens. */
export const revokeAuthorityPath = '/pki/manage/certificate-authorities/:id/revoke'
