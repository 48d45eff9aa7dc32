// What each call does and what comes back, in one sentence for the OpenAPI document; who may call it the contract says. For calls that are open to anybody who
// is signed in it says whose things they reach. One table for all rooms, as for the words of events; a test asks it for each call.

export const callWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  audit: {
    search:
      'Searches the audit log of the tenancy and answers a page of events, newest first unless told otherwise, with counts by area and outcome.',
    event: 'Answers one event of the audit log with its whole body.',
    status:
      'Answers the newest signed checkpoint of the audit log, the key that verifies it, how many events have no number yet, and how the last verification went.',
    proof: 'Proves that an event is in the log: answers its leaf and the path to the root of a signed checkpoint.',
    consistency: 'Proves that the log has only grown since a checkpoint of so many events: answers both sizes and the path between them.',
  },
  tenancy: {
    read: 'Answers the settings of the tenancy: its name, colour, support address, disclaimer and time zone.',
    change: 'Replaces the settings of the tenancy; answers nothing.',
    managed: 'Lists the tenancies that this one manages, a page at a time.',
  },
  mail: {
    outbox: 'Lists the mail that was sent or waits to be, with its state and last error, and says whether a mail server is set up.',
    read: 'Answers one mail of the outbox with its text.',
    state: 'Says whether this installation can send mail at all.',
    notices: 'Answers which notices there are and which of them the caller gets by mail.',
    chooseNotices: 'Sets which notices the caller does not want by mail; answers nothing.',
  },
  roles: {
    search: 'Lists the roles of the tenancy with the number of people who have each.',
    read: 'Answers one role with its permissions for screens, menus and calls.',
    grantable: 'Answers the permissions that the caller may give to a role.',
    add: 'Makes a role out of permissions that the caller has; answers its id.',
    change: 'Replaces the name and the permissions of a role; whoever has it has them from the next request on.',
  },
  users: {
    search: 'Lists the users of the tenancy, filtered by state, role and text, with counts by state.',
    read: 'Answers one user: oneself, or with `userView` anybody in the tenancy.',
    add: 'Makes a user who signs in after activation; answers the id and the link that activates the account.',
    change: 'Changes a user: oneself within limits, or with `userEdit` others. Answers a new activation link where the change needs one.',
    setEnabled: 'Enables or disables a user; the sessions and tokens of whoever is disabled end at once.',
    invite: 'Makes a new activation link for a user who has not activated the account; earlier links end.',
  },
  sessions: {
    bootstrap: 'Answers what a console needs to begin: who is signed in, with which permissions, the look of the tenancy and the version.',
    login:
      'Checks a username and password; answers that the code is needed, and sets a cookie that is good for giving it and nothing else.',
    TOTPAuth: 'Checks the six-digit or a recovery code after `login`; opens the session and answers who is signed in.',
    legacyLogin: 'Answers who is signed in, in the form of the older programs.',
    legacyLogout: 'Answers and changes nothing: older programs call it before `logout`, which ends the session.',
    logout: 'Ends the session; the cookies are taken back.',
    checkSession: 'Says until when the session lasts, and does not make it last longer.',
    refreshSession: 'Makes the session last another fifteen minutes, at most twelve hours in all; answers its new end.',
    disclaimer: 'Answers the text that people agree to before they sign in.',
    switchTenancy: 'Goes on working in a tenancy that the own one manages, or back at home; later calls of the session act there.',
    readActivation: 'Says whose account an activation link opens, or why it opens none.',
    activate:
      'Sets the password of an account by its activation link; answers the secret and the recovery codes of the second factor, once.',
    changePassword: 'Changes the caller’s own password; the other sessions and all API tokens end.',
    ownHistory: 'Answers the caller’s latest sign-ins and failed tries, with their addresses.',
    history: 'Answers the latest sign-ins and failed tries of another user of the tenancy.',
    mfaStatus: 'Says whether a user has set up a code: oneself, or with `userView` another.',
    mfaReset: 'Takes back the code of a user, who sets up a new one at the next sign-in; answers nothing.',
    mfaEnrol: 'Begins a new code for the caller, who gives the password; answers the secret, its QR and new recovery codes, once.',
    searchTokens: 'Lists the caller’s own API tokens, without their secrets.',
    addToken: 'Makes an API token of the caller’s own, narrowed to scopes where some are named; answers the token, once.',
    removeToken: 'Revokes one of the caller’s own API tokens, at once on every server.',
  },
  keys: {
    list: 'Lists the PKCS#11 tokens of the tenancy with their state and the number of keys on them.',
    view: 'Answers one token with what it is, what it can do and its state.',
    found: 'Looks through the PKCS#11 modules of the installation and answers the tokens that can be registered.',
    register: 'Registers a token for the tenancy, checked with its PIN; answers its id.',
    change: 'Changes the name of a token or gives its PIN anew; answers its state.',
    check: 'Tries the token now and answers its state.',
    keysOn: 'Answers the keys on a token, with what each belongs to.',
    remove: 'Takes a token off the register, where no authority needs it; what is on it stays.',
  },
  authorities: {
    life: 'Answers every certificate of an authority and those that it gave to others, its predecessor, its successor, and when that takes over.',
    downloadCertificate: 'Answers one certificate of an authority as a file: PEM, DER, or with those above it.',
    renew: 'Signs a new certificate for the same key with a later end; answers its id and what lint remarks upon it.',
    succeed:
      'Makes a successor with the same name and a new key, for a root with link certificates; answers its id and what lint remarks upon it.',
    takeOver: 'Moves templates and licences to the successor, now or at a time; answers how many were moved, or when they will be.',
    crossCertify: 'Certifies another authority, here or outside, with limits on names and levels; answers the id of the certificate.',
    takeCross: 'Imports a certificate that another authority has given to this one; answers its id.',
    addOffline: 'Adds an authority whose key is kept elsewhere, by its certificate; answers its id.',
    requestSheet: 'Answers the file to take to an offline authority: the request with all that it needs to sign it.',
    list: 'Lists the authorities of the tenancy in the order of their tree, with state, life, key, counts and licences.',
    view: 'Answers one authority with its certificate, chain, addresses and, where an outside one signs it, its request.',
    activity: 'Answers the latest hundred events about an authority, newest first.',
    preview: 'Answers the certificate that `create` would make of the same draft, and what lint remarks upon it; nothing is made.',
    previewCross: 'Answers the certificate that `crossCertify` would sign, and what lint and the tree have to remark; nothing is signed.',
    create:
      'Makes a key and an authority: a root, one below another here, or a request for an outside one. Answers its id and what lint remarks upon it.',
    keyPlaces: 'Answers the tokens on which the key of a new authority can live, and which algorithms each has.',
    freeKeys: 'Answers the keys on a token that no authority has yet.',
    importCertificate:
      'Takes the certificate that an outside or offline issuer has signed, with its chain; answers what lint remarks upon it.',
    rename: 'Changes the name of an authority in lists; its certificate stays as it is.',
    setIssuing: 'Lets an authority issue, or stops it; revocation lists and OCSP answers go on.',
    download: 'Answers the certificate of an authority as a file: alone, with its chain, or with all others that hold.',
  },
  templates: {
    list: 'Lists the certificate templates of the tenancy, its own and licensed ones, filtered by authority, class and text.',
    offered: 'Answers the templates with which the caller may ask for a certificate, with the values that each asks for.',
    names: 'Answers the templates of an authority in the short form: id, names, class and type.',
    get: 'Answers one template whole, with the version to send back when it is edited.',
    extensions: 'Answers the subjects, alternative names, validity, renewal and usages of a template.',
    setExtensions:
      'Changes what is sent of the subjects, alternative names, validity, renewal and usages of a template, and takes away what is sent as null; what was issued stays as it is.',
    add: 'Makes a template of an authority; answers its id.',
    edit: 'Replaces a template, where nobody has changed it since the version that is sent. All that it has must be sent, or taken away by null; answers the new version.',
    remove: 'Deletes a template; what was issued with it stays valid and can be revoked.',
    system: 'Answers the built-in profiles, and the authorities to which one can be added.',
    addSystem: 'Adds a built-in profile to an authority as a template; answers its id.',
    preview: 'Answers the certificate that a template would make of a request, with findings and faults; nothing is asked for.',
  },
  licensing: {
    tenants: 'Lists the tenancies that can be licensed, with what each has and what ends next.',
    licences: 'Answers the authorities and templates of this tenancy, and what of them another tenancy may use.',
    licenseAuthority: 'Grants an authority to a tenancy between two days, or takes the licence back; answers nothing.',
    licenseTemplate: 'Grants a template to a tenancy between two days, or takes the licence back; answers nothing.',
    templates: 'Lists the templates that this tenancy can use, its own and licensed ones, with how they are switched.',
    setFlags: 'Switches a template on or off for this tenancy, for self-service, and for people without an account.',
    rules: 'Lists the templates with the rules that this tenancy has narrowed.',
    rule: 'Answers the rules of this tenancy over one template, what the template itself says, and the version to send back.',
    setRule: 'Replaces the rules of this tenancy over a template; they narrow it and never widen it.',
    ordered: 'Answers the templates in the order in which they are offered.',
    setOrder: 'Sets the order in which templates are offered; answers it as it stands then.',
    registered: 'Lists the authorities that this tenancy knows: its own, licensed and registered ones.',
    register: 'Registers the certificate of a foreign authority, so that it is known by name; answers its id.',
    forget: 'Takes a foreign authority off the register.',
    attestation: 'Answers the accepted manufacturers of TPMs, and which templates want an attestation.',
    addRoot: 'Accepts the root certificate of a TPM manufacturer; answers its id.',
    removeRoot: 'Accepts the root certificate of a TPM manufacturer no more.',
    setAttestation: 'Sets whether a template wants a TPM attestation, and from which manufacturers.',
  },
  approvals: {
    waiting: 'Lists what waits for a decision of the caller, of every kind, with how many have agreed.',
  },
  archive: {
    search: 'Lists the archived keys of the tenancy, never the keys themselves, with how many must agree to a recovery.',
    recoveries: 'Lists the recoveries that were asked for, with their state and whether the caller may decide or fetch.',
    own: 'Answers the recoveries that the caller has asked for.',
    request: 'Asks for the recovery of an archived key, with a reason; answers its id and how many must agree.',
    vote: 'Agrees to a recovery or denies it; answers its state then.',
    fetch: 'Hands out a recovered key once, to whoever asked for it, as PKCS#12 under a password of their choice.',
  },
  bulk: {
    prepare:
      'Writes down the rows that an action would be done to; answers their number and what they are, and does nothing yet. It takes the permission of the action.',
    start:
      'Confirms a prepared run by the number of its rows; it is then done in the background as the person who confirmed. Only who prepared it.',
    cancel: 'Stops a run between two batches; what is done stays done. Answers how far it has come.',
    again: 'Prepares a new run of the rows of an ended one that failed; answers its id and their number.',
    view: 'Answers a run: its state, how many rows are done, requested and failed, and what became of them.',
    rows: 'Lists the rows of a run with the state of each, the request that it became, or why it failed.',
    search: 'Lists the runs that the caller may see, newest first.',
  },
  certificates: {
    check:
      'Answers what would come out of a request: the CSR decoded, the certificate planned, findings and faults, and how many must agree. Nothing is asked for.',
    request:
      'Asks for a certificate with a template that is open to the caller, for oneself or a device of one’s own; answers the id of the request, and id and serial number of the certificate where it was issued at once. CertificateFile and certificate-request-status-by-request-id answer the certificate itself.',
    requestForUser:
      'Asks for a certificate for another user; answers the id of the request, and id and serial number of the certificate where it was issued at once. CertificateFile and certificate-request-status-by-request-id answer the certificate itself.',
    requestForDevice:
      'Asks for a certificate for a device; answers the id of the request, and id and serial number of the certificate where it was issued at once. CertificateFile and certificate-request-status-by-request-id answer the certificate itself.',
    edit: 'Changes a request that waits, by who made it or may decide it; votes so far are void. Answers where it stands.',
    withdraw: 'Takes back a request that the caller made, or is to hold the certificate of, while it is still open.',
    collectKey:
      'Makes the key of a granted request and the certificate for it, once, for its holder; answers both as PKCS#12 under a password.',
    requests: 'Lists the caller’s own requests.',
    searchApprovals: 'Lists requests with how many have agreed, all of them or those that wait for the caller.',
    approval: 'Answers one request as an approver sees it: what would be issued, findings, votes, and why the caller may not vote.',
    decide:
      'Approves a request in the round that the caller has seen, or denies it; answers where it stands, and the certificate where this was the last vote.',
    recordElsewhere: 'Answers a request with a certificate that another issuer has signed for it, which is held against the request.',
    statusByRequest:
      'Answers a request and, once it is issued, its certificate, by the id of the request: the requester’s, the holder’s, or with permission any.',
    status: 'Answers a request and its certificate by the identifiers of the older programs.',
    search: 'Lists the certificates of the tenancy by status, template, authority, dates and text, with counts for each filter.',
    own: 'Lists the caller’s own certificates by status and text: those held, and those of devices that the caller asked for.',
    choices: 'Answers the templates and authorities by which the inventory can be filtered.',
    info: 'Answers one certificate with its chain, whom it belongs to, and what has happened to it.',
    download:
      'Answers one certificate as a file in the form that is asked for: to who sees certificates, who holds it, and who asked for it.',
  },
  enrolment: {
    search: 'Lists the rules of auto-enrolment with how their last run went.',
    choices: 'Answers the templates and roles that a rule can name.',
    get: 'Answers one rule, with the version to send back when it is edited.',
    add: 'Makes a rule by which certificates are asked for by themselves; answers its id.',
    edit: 'Replaces a rule, where nobody has changed it since the version that is sent; answers the new version.',
    remove: 'Deletes a rule; certificates that it asked for stay.',
    run: 'Runs a rule now; answers how many hold a certificate already, were asked for, and were refused.',
    outcomes: 'Lists what a rule has come to for each user or device, with the reason where none was asked for.',
  },
  portal: {
    openSession: 'Opens the page for people without an account by its code; answers whose it is and until when it is open.',
    templates: 'Answers the templates that are open to people without an account, to whoever has opened the page.',
    request: 'Asks for a certificate without an account; answers the request id and a secret to collect it with, which is told once.',
    collect: 'Answers where an anonymous request stands and, once it is issued, the certificate, to whoever has its secret.',
    settings: 'Answers the address of the page for people without an account, who made it, and what it offers.',
    renew: 'Gives the page for people without an account a new address; the old one ends. Answers the new one.',
    close: 'Closes the page for people without an account.',
  },
  revocation: {
    authorityOptions: 'Answers whether an authority can be revoked, for which reasons, and what would be lost with it.',
    revokeAuthority:
      'Revokes every certificate of an authority, by its name typed; answers how many. What stands below it issues nothing more.',
    revokeFurther: 'Revokes one cross-certificate or link; the authority itself goes on.',
    distrustSheet: 'Answers a file that tells relying parties how to stop trusting a root.',
    uploadedList: 'Answers the revocation list that was brought for an offline authority, and how fresh it is.',
    uploadList: 'Publishes a revocation list that an offline authority has signed, checked against it; answers its number and entries.',
    runDrill: 'Counts what revoking all that matches would do, and changes nothing but this report; answers its id.',
    drill: 'Answers the report of a drill: whom it would cut off, how long it would take, and how large the lists would become.',
    searchDrills: 'Lists the drills that were held, newest first.',
    options:
      'Answers whether a certificate can be revoked, for which reasons, and how many must agree: to who sees certificates, who asked for it, and who holds it.',
    revoke:
      'Revokes a certificate or puts it on hold: by who asked for it, who holds it, or who decides revocations. Answers whether it is done or waits for others.',
    release: 'Ends a hold, or asks others to agree to it; answers whether it is done or waits.',
    siblings: 'Answers the other certificates of the same key, and how many there are in tenancies that this one manages.',
    status: 'Answers the newest revocation of a certificate, if there is one.',
    view: 'Answers the newest revocation of a certificate with its votes, and what the caller may do about it.',
    search: 'Lists revocations by state and text.',
    vote: 'Agrees to a revocation or denies it; answers whether this decided it.',
    cancel: 'Takes back a revocation that waits: by who asked for it, or an approver.',
    retry: 'Tries a failed revocation again; answers how it went.',
    lists: 'Answers the newest revocation list of each authority with its age and state.',
    publication:
      'Answers how an authority tells of revocations: its lists, how long they and OCSP answers are valid, and who signs the answers.',
    setPublication:
      'Sets the parts, deltas and lives of an authority’s lists, and by whom and for how long OCSP answers are signed; lists that say otherwise are made anew.',
    replaceSigner:
      'Revokes the exposed signer of an authority’s OCSP answers and makes another; says whether that waits for the authority’s key.',
    makeList: 'Makes a new revocation list now: the whole, a part, or the delta. Answers its number.',
  },
  renewal: {
    info: 'Answers when a certificate is renewed or why not, with which keys it can be, what was tried, and what the caller can do: for its holder, who asked for it, and who sees certificates.',
    ending: 'Answers the caller’s own certificates that end soon, with what becomes of each.',
    renew:
      'Renews a certificate now, for its own key or a new one, before its time only with `early` and for who may ask for others; answers for which, and the new certificate or the request that waits.',
    search: 'Lists the attempts to renew certificates, by state and text, with the reasons of those that failed.',
  },
  imports: {
    check: 'Reads certificates of other issuers and answers what is in them and what is wrong; nothing is saved.',
    upload: 'Adds certificates of other issuers to the inventory; answers which were added and which were there already.',
  },
  decoder: {
    decode:
      'Decodes certificates, requests, lists, keys and messages, whatever they are wrapped in; answers each as a tree with what lint says. Nothing is kept.',
    verifyChain:
      'Verifies a certificate against roots at a time and for a purpose, as RFC 5280 says; answers the path, or why there is none.',
  },
  search: {
    records: 'Searches everything that the caller may see and answers the records with the addresses of their pages.',
    views: 'Answers the views of lists that the caller has saved.',
    keepView: 'Saves a view of a list under a name, for the caller alone; one of the same name is replaced.',
    removeView: 'Removes one of the caller’s saved views.',
  },
  visualiser: { graph: 'Answers the authorities of the tenancy and the certificates between them as nodes and links.' },
  reporting: {
    certificates:
      'Counts the certificates issued, revoked, ended and valid in a period, by template, authority or another group; answers a row for each.',
  },
  health: {
    overview: 'Lists the authorities with their health: certificate, lists, OCSP, key and signer.',
    authority: 'Answers the health of one authority, finding by finding, and what in it will end.',
    checkNow: 'Asks an authority’s public addresses now and answers its health.',
  },
  jobs: {
    search: 'Lists the recurring jobs of the installation with how their last run went; in the management tenancy only.',
    wake: 'Runs a job now; answers at once and does not wait for its end.',
  },
  preferences: {
    favourites: 'Answers the caller’s pinned pages in their order.',
    setFavourites: 'Replaces the caller’s pinned pages.',
    locales: 'Answers the date formats and time zones that can be chosen.',
    settings: 'Answers the caller’s date format and time zone.',
    saveSettings: 'Sets the caller’s date format and time zone.',
    usersCreated: 'Counts the users made in each of the latest weeks, and answers the newest.',
    rolesCreated: 'Counts the roles made in each of the latest weeks, and answers the newest.',
  },
  home: {
    firstRun: 'Answers the steps with which a new tenancy begins, and which are done.',
    certificates: 'Counts the certificates of the tenancy by status, those that end soon, and those issued day by day.',
    waiting: 'Counts what waits for the caller: approvals, revocations and authorities.',
    activity: 'Answers the latest events of the tenancy.',
    lists: 'Answers the newest revocation list of each authority with its entries, and whether another is due.',
    about: 'Answers the version, what it runs on, and the licences of what it is made of.',
    documentation: 'Lists the documents that come with the product.',
    document: 'Answers one of the documents that come with the product.',
  },
  setup: {
    check: 'Says whether a set-up link is good, to whoever has it.',
    judgePassword: 'Says what is wrong with a password for the first administrator; it is kept nowhere.',
    run: 'Sets the installation up, once, by its link: the first tenancy, its administrator and, where wanted, its authorities. Answers the second factor, once.',
    addTenancy:
      'Makes a managed tenancy with its first administrator; answers their ids and the activation link. In the management tenancy only.',
  },
}
