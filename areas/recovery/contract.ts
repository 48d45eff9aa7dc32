import * as z from 'zod'
import { OwnQuestions, SecretAnswers } from '#areas/questions/rules.ts'
import { Brand } from '#areas/sessions/brand-shape.ts'
import { contract } from '#core/contract/contract.ts'
import { Id } from '#core/contract/shapes.ts'

const Token = z.string().max(200)

export const recovery = contract({
  area: 'recovery',
  title: 'Forgotten passwords',
  screens: {
    request: { path: '/forgotpassword', needs: 'public', title: 'Forgot your password', shell: 'public' },
    reset: { path: '/forgotpassword/:token', needs: 'public', title: 'Choose a new password', shell: 'public' },
  },
  calls: {
    request: {
      does: 'Asks for a mail with a link that resets the password. The answer is the same whether an account has the address or not.',
      title: 'Request a password reset',
      method: 'POST',
      path: '/api2/Authentication-v1/RequestPasswordReset',
      needs: 'public',
      input: z.object({
        emailAddress: z
          .string()
          .trim()
          .max(254)
          .pipe(z.email('Enter an e-mail address'))
          .meta({ examples: ['ada@example.org'] }),
      }),
      output: z.object({}),
      failed: 'The password reset was not requested',
      limit: 'publicLink',
    },
    validateLink: {
      does: 'Says whose password a reset link resets, and which secret questions are to be answered for it, or that it resets none.',
      method: 'POST',
      path: '/api2/Authentication-v1/ValidatePasswordResetLink',
      needs: 'public',
      reads: true,
      input: z.object({ token: Token }),
      /** That a link has been used or has expired is an answer, not a fault. */
      output: z.discriminatedUnion('isValid', [
        z.object({
          isValid: z.literal(true),
          username: z.string(),
          tenancy: z.string(),
          brand: Brand,
          passwordConfig: z.object({ shortest: z.number().int() }),
          secretQuestions: OwnQuestions,
        }),
        z.object({ isValid: z.literal(false) }),
      ]),
      limit: 'publicLink',
    },
    reset: {
      does: 'Sets a new password by a reset link, with the answers where secret questions are set. All sessions and API tokens of the person end.',
      title: 'Reset a password',
      method: 'POST',
      path: '/api2/Authentication-v1/ResetPassword',
      needs: 'public',
      input: z.object({
        token: Token,
        password: z.string().max(1000, 'Use at most 1000 characters'),
        secret_answers: SecretAnswers.optional(),
      }),
      output: z.object({}),
      failed: 'The password was not reset',
      faults: {
        linkUsed: { status: 404, says: 'This link has been used or has expired. Ask for a new one' },
        wrongAnswers: { status: 403, says: 'These are not the right answers' },
        answersPaused: { status: 429, says: 'There were too many wrong answers. Try again tomorrow, or ask your administrator' },
      },
      ownTransactions: true,
      limit: 'publicLink',
    },
  },
  jobs: { send: { title: 'Send password reset links', every: '* * * * *' } },
  events: {
    linkSent: { says: 'Sent a password reset link', body: z.object({ userId: Id }) },
    passkeyNeeded: { says: 'Refused a password reset: a passkey is the only strong factor', body: z.object({ userId: Id }) },
    reset: { says: 'Reset the password by mail', body: z.object({ userId: Id, answered: z.boolean() }) },
  },
})
