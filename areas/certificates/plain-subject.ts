/** A subject as a heading shows it: the common name alone where there is nothing else in it. */
export const plainSubject = (subject: string): string => /^CN=([^,+=\\]+)$/.exec(subject)?.[1] ?? subject
