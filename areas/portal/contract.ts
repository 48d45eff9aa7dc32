import * as z from 'zod'
import { requestStatuses } from '#areas/certificates/request-status.ts'
import { AskedValue, RequestText, ValuesTyped } from '#areas/templates/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Paragraph } from '#core/contract/shapes.ts'
import { noSession } from './rules.ts'

const Code = z.string().trim().max(200)

export const portal = contract({
  area: 'portal',
  title: 'Public request page',
  also: 'anonymous requests, from outside',
  screens: {
    page: { path: '/anonymousportal', needs: 'public', title: 'Request a certificate', shell: 'public' },
    config: {
      path: '/config/certificateservices/portal',
      needs: 'tenancyConfig',
      title: 'Public request page',
      menu: { group: 'pki', entry: 'enrolment', tab: 'Public page', place: 70 },
    },
  },
  calls: {
    openSession: {
      does: 'Opens the page for people without an account by its code; answers whose it is and until when it is open.',
      title: 'Open the public request page',
      method: 'POST',
      path: '/api2/Authentication-v1/AnonymousSession',
      needs: 'public',
      input: z.object({ code: Code }),
      /** The page bears the name and the colour of its tenancy from now on. */
      output: z.object({ tenancyName: z.string(), bannerColour: z.string(), supportEmail: z.string(), expiresAt: Instant }),
      failed: 'The page could not be opened',
      faults: {
        invalidCode: { status: 404, says: 'This address is not valid, or not any more. Ask whoever gave it to you for the present one' },
      },
      limit: 'publicLink',
    },
    templates: {
      does: 'Answers the templates that are open to people without an account, to whoever has opened the page.',
      method: 'GET',
      path: '/api2/PKI-v1/AnonymousTemplates',
      needs: 'public',
      input: z.object({}),
      output: z.object({
        tenancyName: z.string(),
        templates: z.array(
          z.object({
            templateId: Id,
            displayName: z.string(),
            priority: z.number().int(),
            asks: z.array(AskedValue),
            ignoreCsrDetails: z.boolean(),
            keys: z.array(z.string()),
          }),
        ),
      }),
      failed: 'The templates could not be read',
      faults: { noSession },
    },
    check: {
      does: 'Answers all that is wrong with a request without an account, as far as it can be told. Nothing is asked for.',
      method: 'POST',
      path: '/api2/PKI-v1/AnonymousCheck',
      needs: 'public',
      reads: true,
      input: z.object({ templateId: Id, csr: RequestText, values: ValuesTyped }),
      output: z.object({ faults: z.array(z.object({ field: z.string(), says: z.string() })) }),
      failed: 'The request could not be checked',
      faults: { noSession, notOffered: { status: 403, says: 'This template is not offered here' } },
      ownTransactions: true,
      limit: 'publicLink',
    },
    request: {
      does: 'Asks for a certificate without an account; answers the request id and a secret to collect it with, which is told once.',
      title: 'Ask on the public request page',
      method: 'POST',
      path: '/api2/PKI-v1/AnonymousRequest',
      needs: 'public',
      input: z.object({
        templateId: Id,
        csr: RequestText.refine((text) => text.trim() !== '', 'Paste a certificate request'),
        values: ValuesTyped,
        contactEmail: z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]).default(''),
        comment: Paragraph(2000).default(''),
      }),
      /** `secret` is shown once: with the id it tells where the request stands. */
      output: z.object({ requestId: Id, secret: z.string(), status: z.enum(requestStatuses) }),
      failed: 'The request was not sent',
      faults: {
        noSession,
        notOffered: { status: 403, says: 'This template is not offered here' },
        lint: { status: 400, says: 'The certificate would not be right and was not requested' },
        tooMany: { status: 429, says: 'Too many requests wait here already. Try again when some have been decided' },
      },
      ownTransactions: true,
      limit: 'publicLink',
    },
    collect: {
      does: 'Answers where an anonymous request stands and, once it is issued, the certificate, to whoever has its secret.',
      title: 'See the status of a request on the public request page',
      method: 'POST',
      path: '/api2/PKI-v1/AnonymousCollect',
      needs: 'public',
      reads: true,
      watched: true,
      input: z.object({ requestId: Id, secret: z.string().trim().max(200) }),
      output: z.object({
        status: z.enum(requestStatuses),
        onHold: z.boolean(),
        reason: z.string(),
        templateName: z.string(),
        subject: z.string(),
        requestedAt: Instant,
        /** Whose it is: the page bears their name and colour. */
        tenancyName: z.string(),
        bannerColour: z.string(),
        supportEmail: z.string(),
        /** PEM; empty until it is issued. */
        certificate: z.string(),
        chain: z.string(),
      }),
      failed: 'The request could not be read',
      faults: { noSuchRequest: { status: 404, says: 'There is no such request, or the secret is not its own' } },
      limit: 'publicLink',
    },
    settings: {
      does: 'Answers the address of the page for people without an account, who made it, and what it offers.',
      method: 'GET',
      path: '/api2/PKI-v1/AnonymousPortal',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({
        address: z.string().optional(),
        madeAt: Instant.optional(),
        madeBy: z.string().optional(),
        templates: z.array(z.string()),
        waiting: z.number().int(),
      }),
    },
    renew: {
      does: 'Gives the page for people without an account a new address; the old one ends. Answers the new one.',
      title: 'Give the public request page a new address',
      method: 'POST',
      path: '/api2/PKI-v1/AnonymousPortal',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({ address: z.string() }),
      done: 'The page has a new address',
      failed: 'The page got no new address',
      ownKeys: true,
    },
    close: {
      does: 'Closes the page for people without an account.',
      title: 'Close the public request page',
      method: 'DELETE',
      path: '/api2/PKI-v1/AnonymousPortal',
      needs: 'tenancyConfig',
      input: z.object({}),
      output: z.object({}),
      done: 'The page is closed',
      failed: 'The page was not closed',
    },
  },
  events: {
    opened: { says: 'Opened the public request page', body: z.object({}) },
    requested: { says: 'Asked on the public request page', body: z.object({ requestId: Id }) },
    renewed: { says: 'Gave the public request page a new address', body: z.object({}) },
    closed: { says: 'Closed the public request page', body: z.object({}) },
  },
})
