/** To which the console's first files lead: known without the shapes of the contract, which load with their screens. */
export const renewalPath = '/credentials/certificates/renewal/:certId'
