// What the console's first files lead to and offer: known without the contract and the rules, which load with their screens.

/** Bulk work that renews. */
export const renewAction = 'renewal.renew'

export const renewalPath = '/credentials/certificates/renewal/:certId'
