// All reasons not to issue that are no rule of a standard: the one list that every room fills its refusals from. It stands in the lowest room that
// issues. What lint and the checks of keys find has the codes of `standards/lint` and `standards/x509/key-checks.ts`, in the same shape.

import { refusalsOf, type RefusalText } from '#core/contract/refusal.ts'

const error =
  (field: string) =>
  <Says extends string>(says: Says) => ({ field, says, severity: 'error' as const })
const [inCsr, inKey, inTemplate, inAuthority, inValues] = [error('csr'), error('key'), error('templateId'), error('caId'), error('values')]
const unreadable = <Says extends string>(says: Says) => ({ field: 'csr', says, severity: 'fatal' as const })

export const refusals = {
  // What was sent is no request.
  csrMissing: unreadable('Paste a certificate request'),
  csrNotAlone: unreadable('There are {count} items in this text. Send one certificate request'),
  csrIsPrivateKey: unreadable('This is a private key. Keep it secret, and send the certificate request that was made from it'),
  csrIsCertificate: unreadable('This is a certificate. Send a certificate request (CSR)'),
  csrIsPkcs7: unreadable('This is PKCS#7, a container of certificates. Send the certificate request itself (CSR, PKCS#10)'),
  csrIsList: unreadable('This is a revocation list (CRL). Send a certificate request (CSR)'),
  csrIsPublicKey: unreadable('This is a public key alone. Send the certificate request (CSR) that was made with it'),
  csrUnreadable: unreadable('This is not a certificate request that can be read: {reason}'),
  csrTooLong: inCsr('The request asks for {asked} names and usages. Ask for at most {most}'),

  // Nobody has shown that they hold the key.
  possessionUnproven: inCsr('{reason}'),
  possessionCertificateMissing: inCsr('The statement of possession names no certificate that was issued here'),
  possessionCertificateNotValid: inCsr('The certificate that the statement of possession names is not valid now'),

  // The key is good, and still not for this certificate.
  keyCompromised: inCsr('This key cannot be certified again, because a certificate of it was revoked for key compromise'),
  keyOfAuthority: inCsr('This is the key of an authority, and each certificate needs a key of its own'),
  keyOfRenewed: inCsr('This is the key of the certificate that is to be renewed. Make a new one'),
  keyInCertificate: inCsr('This key is in another certificate already, and the template wants a new one. Make a new key'),
  keyInRequest: inCsr('This key is in another request already, and the template wants a new one. Make a new key'),
  keyNotMadeHere: inKey('Keys of the kind {kind} are not made here. Send a request with your own'),
  keyNotArchived: inKey('Keys of this template are archived now, and this one is not. It takes a new key'),

  // People.
  holderUnknown: error('username')('Choose one of the people of this tenancy'),
  holderDisabled: error('userId')('The account of the person whom it is for is disabled'),
  requesterGone: inTemplate('The account of the person who asked is gone'),
  requesterDisabled: inTemplate('The account of the person who asked is disabled'),
  requesterMayNotAsk: inTemplate('The person who asked may not ask for it any more'),
  approverMayNotApprove: inTemplate('The person who approved it may not approve any more'),

  // The template, its licence and its authority.
  templateUnknown: inTemplate('Choose one of the templates'),
  templateNotOffered: inTemplate('This template is not offered to you'),
  templateNotInUse: inTemplate('The template {template} is not in use any more'),
  templateNotAnonymous: inTemplate('The template {template} cannot be asked for anonymously any more'),
  templateChanged: inTemplate('The template {template} was changed since it was asked. Ask again'),
  templateWantsApproval: inTemplate('The template {template} wants others to agree now. Ask again'),
  templateLicence: inTemplate('The licence for the template {template} {reason}'),
  authorityLicence: inTemplate('The licence for the authority {authority} {reason}'),
  authorityGone: inTemplate('The authority {authority} is gone'),
  authorityNotActive: inTemplate('The authority of this template cannot issue now'),
  authorityRevoked: inAuthority('{authority} is revoked: nobody would trust what it issues'),
  authorityBelowRevoked: inAuthority('{authority} stands below {above}, which is revoked: nobody would trust what it issues'),
  authoritySwitchedOff: inAuthority('Issuing by {authority} is switched off'),
  authorityNotYetValid: inAuthority('{authority} is not valid before {from}'),
  authorityExpired: inAuthority('{authority} expired on {until}'),
  endBeforeBeginning: error('notAfter')('The end must be after the beginning'),
  outlivesAuthority: error('notAfter')('The certificate would outlive {authority}, which is valid until {until}'),

  // The certificate that is renewed.
  renewedRevoked: inTemplate('The certificate that it renews was revoked'),
  renewedOnHold: inTemplate('The certificate that it renews is on hold'),
  renewalChangesNames: inValues(
    'A renewal changes no names: it would say "{is}" where it says "{was}". Withdraw it and ask for a new certificate',
  ),
  // Of a renewal that is not asked for yet: what would be in its way.
  renewalExternal: inTemplate('It was issued elsewhere, and its issuer renews it'),
  renewalOnHold: inTemplate('It is on hold until somebody who may revoke certificates here releases it'),
  renewalRevoked: inTemplate('It was revoked'),
  renewalTemplateGone: inTemplate('The template {template} is gone'),
  renewalTemplateDisabled: inTemplate('The template {template} is disabled'),
  renewalAuthorityEnded: inAuthority('The authority {authority} ended on {until}'),
  renewalAuthorityNotYetValid: inAuthority('The authority {authority} is not valid yet'),
  renewalHolderGone: error('userId')('{holder} has no account here any more'),
  renewalHolderDisabled: error('userId')('The account of {holder}, who holds it, is disabled'),
  renewalNotOffered: error('userId')('{person} may not ask with the template {template}'),
  renewalNamesChange: inValues('It would say "{is}" where it says "{was}" now, and a renewal changes no names. Ask for a new certificate'),
  renewalTooSoon: error('notAfter')('A new one would end on {until}, {compared} this one, because the template gives so little now'),
  renewalAuthorityEndsSoon: error('notAfter')(
    'A new one would end on {until}, {compared} this one, because {authority} is valid until {authorityUntil}',
  ),

  // The database does not take it, however often it is tried.
  notStorable: inValues(
    'it cannot be stored. One of its names or texts is too long, or has characters that cannot be kept. Ask again with other ones',
  ),

  // The template's rules.
  entityNotAllowed: inTemplate('This template is not for a {entity}'),
  keyKindNotAllowed: inCsr('The key is {key}. This template allows {allowed}'),
  keyWithoutUse: inCsr('The key is {key}, which can do nothing that the template is for ({usages})'),
  keyMadeElsewhere: inCsr('Keys of this template are archived, so they are made here: ask without a request of your own'),
  keyNotAttested: inCsr('This template takes only keys that a TPM attests, and this request carries no attestation'),
  asksForAuthority: inCsr('The request asks for a certificate authority (CA:TRUE), which no template gives. Create an authority instead'),
  asksForAuthorityUsage: inCsr('The request asks for {usages}, which only authorities have'),
  asksForMore: inCsr('The request asks for {demand}, which the template does not give'),
  valueWithoutPlace: inValues('The template has no place for this value'),
  valueNotOfPerson: inValues(`"{value}" is not the {label} of this person. It comes from the person's record`),
  valueNotInRecord: error('userId')("The person's record has no {label}, which the template puts into the certificate"),
  valueMissing: inValues('Enter the {label}'),
  valueMissingBesideCsr: inValues('Enter the {label}: the template does not read names from the request'),
  attributeUnfit: inCsr('{reason}'),
  attributeWithoutPlace: inCsr("The request's subject has {field}={value}, for which the template has no place"),
  attributeTwice: inCsr("The request's subject has {field} more than once"),
  attributeOther: inCsr("The request's subject has {field}={value}; the template says {field}={wanted}"),
  alternativeNameWithoutPlace: inCsr('The request has the alternative name {field}:{value}, for which the template has no place'),
  alternativeNameOther: inCsr('The request has the alternative name {field}:{value}; the template says {wanted}'),
  tooManyNames: inValues('At most {most} names in one certificate; these are {count}'),
  nobodyNamed: inValues('The certificate would name nobody. Enter a name'),
  nameUnfit: inValues('{reason}'),
  nameNotAllowed: inValues('"{name}" is outside the names that this template allows: {allowed}'),
  addressNotAllowed: inValues('"{address}" is outside the networks that this template allows: {allowed}'),
  addressAmongDomains: inValues('"{address}" is an address, and this template allows names in its domains only'),
  attributeTooLong: inValues('{label} has at most {most} characters; this has {count}'),
  attributeTooMany: inValues('{label} stands at most {most} times in one certificate; these are {count}'),
  attributeEmpty: inValues('{label} is empty'),
  countryUnfit: inValues('A country is two capital letters, such as AU'),
  commonNameOfServer: inValues('The common name "{name}" of a server must be one of its DNS names or addresses as well'),
  commonNameOfAnyPurpose: inValues(
    'The template names no extended usage, so that its certificates are good for servers: the common name "{name}" must be one of its DNS names or addresses as well',
  ),
  nameConstraints: inCsr('{reason}'),
} as const satisfies Record<string, RefusalText>

export type RefusalCode = keyof typeof refusals

export const refusal = refusalsOf(refusals)

/** Gives what a standard's check found the shape of a refusal. */
export const refusalOfFinding = (
  { code, message, severity }: { code: string; message: string; severity: 'error' | 'fatal' },
  field: string,
) => ({
  code,
  field,
  severity,
  says: message,
})
