// What to type for each client that people use. A template each: a new client is a new row.

export type CommandSubject = {
  directoryUrl: string
  /** Given with the account, where the directory wants it. */
  eabRequired: boolean
  /** A name to put in the place of the real one. */
  name: string
  /** Port 80 unless told: said where it matters. */
  httpPort: number
}

export type CommandLine = { name: string; hint: string; text: string }

const kid = 'EAB_KID'
const hmac = 'EAB_HMAC_KEY'

export function commandLines({ directoryUrl, eabRequired, name, httpPort }: CommandSubject): CommandLine[] {
  const lines = (...all: (string | false)[]): string => all.filter((line) => line !== false).join('\n')
  const shell = (...all: (string | false)[]): string => all.filter((part) => part !== false).join(' \\\n  ')
  const eab = eabRequired
  const port = httpPort === 80 ? false : String(httpPort)
  return [
    {
      name: 'certbot',
      hint: 'Renews by itself (systemd timer). With REQUESTS_CA_BUNDLE it trusts a private root',
      text: shell(
        'certbot certonly --standalone --non-interactive --agree-tos',
        '--register-unsafely-without-email',
        `--server ${directoryUrl}`,
        eab && `--eab-kid ${kid} --eab-hmac-key ${hmac}`,
        port !== false && `--http-01-port ${port}`,
        `-d ${name}`,
      ),
    },
    {
      name: 'lego',
      hint: 'With LEGO_CA_CERTIFICATES it trusts a private root. Renew with "renew" in place of "run"',
      text: shell(
        'lego --accept-tos --email admin@example.org',
        `--server ${directoryUrl}`,
        eab && `--eab --kid ${kid} --hmac ${hmac}`,
        port !== false && `--http.port :${port}`,
        `--http --domains ${name} run`,
      ),
    },
    {
      name: 'acme.sh',
      hint: 'Renews by itself (cron)',
      text: lines(
        eab && `acme.sh --register-account --server ${directoryUrl} --eab-kid ${kid} --eab-hmac-key ${hmac}`,
        `acme.sh --issue --standalone ${port === false ? '' : `--httpport ${port} `}--server ${directoryUrl} -d ${name}`,
      ),
    },
    {
      name: 'Caddy',
      hint: 'In the Caddyfile',
      text: lines(
        '{',
        `  acme_ca ${directoryUrl}`,
        '  # acme_ca_root /etc/ssl/root.pem',
        eab && '  acme_eab {',
        eab && `    key_id ${kid}`,
        eab && `    mac_key ${hmac}`,
        eab && '  }',
        '}',
        '',
        `${name} {`,
        '  respond "It works"',
        '}',
      ),
    },
    {
      name: 'Traefik',
      hint: 'In traefik.yml',
      text: lines(
        'certificatesResolvers:',
        '  chancery:',
        '    acme:',
        `      caServer: ${directoryUrl}`,
        '      storage: /var/lib/traefik/acme.json',
        '      httpChallenge:',
        '        entryPoint: web',
        eab && '      eab:',
        eab && `        kid: ${kid}`,
        eab && `        hmacEncoded: ${hmac}`,
      ),
    },
    {
      name: 'nginx-acme',
      hint: 'In nginx.conf, with the module ngx_http_acme_module',
      text: lines(
        'acme_issuer chancery {',
        `  uri ${directoryUrl};`,
        eab && `  external_account_key ${kid} data:${hmac};`,
        '  state_path /var/cache/nginx/acme;',
        '  accept_terms_of_service;',
        '}',
        'server {',
        '  listen 443 ssl;',
        `  server_name ${name};`,
        '  acme_certificate chancery;',
        '  ssl_certificate $acme_certificate;',
        '  ssl_certificate_key $acme_certificate_key;',
        '}',
      ),
    },
    {
      name: 'cert-manager',
      hint: 'A ClusterIssuer for Kubernetes. caBundle holds a private root in base64',
      text: lines(
        eab && `# kubectl -n cert-manager create secret generic chancery-eab --from-literal=secret=${hmac}`,
        'apiVersion: cert-manager.io/v1',
        'kind: ClusterIssuer',
        'metadata:',
        '  name: chancery',
        'spec:',
        '  acme:',
        `    server: ${directoryUrl}`,
        '    privateKeySecretRef:',
        '      name: chancery-account',
        eab && '    externalAccountBinding:',
        eab && `      keyID: ${kid}`,
        eab && '      keySecretRef:',
        eab && '        name: chancery-eab',
        eab && '        key: secret',
        '    solvers:',
        '      - http01:',
        '          ingress:',
        '            ingressClassName: nginx',
      ),
    },
    {
      name: 'win-acme',
      hint: 'For Windows and IIS',
      text: [
        'wacs.exe',
        `--baseuri ${directoryUrl}`,
        ...(eab ? [`--eab-key-identifier ${kid} --eab-key ${hmac}`] : []),
        '--accepttos --emailaddress admin@example.org',
        `--source manual --host ${name} --validation selfhosting`,
        ...(port === false ? [] : [`--validationport ${port}`]),
      ].join(' '),
    },
  ]
}
