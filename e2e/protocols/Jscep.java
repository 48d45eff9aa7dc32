// Enrols, polls and renews by jscep, whose messages are BER: BouncyCastle writes what it encrypts with indefinite lengths.

import java.io.FileReader;
import java.io.FileWriter;
import java.math.BigInteger;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Security;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.DERPrintableString;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.jscep.client.Client;
import org.jscep.client.EnrollmentResponse;
import org.jscep.client.verification.OptimisticCertificateVerifier;
import org.jscep.transaction.TransactionId;

/** enrol|renew URL NAME CHALLENGE, or poll URL NAME TRANSACTION; key and certificate in the folder where it runs. */
public class Jscep {
  public static void main(String[] words) throws Exception {
    Security.addProvider(new BouncyCastleProvider());
    Client client = new Client(new URL(words[1]), new OptimisticCertificateVerifier());
    String name = words[2];
    X500Principal subject = new X500Principal("CN=" + name);
    EnrollmentResponse answer;
    if (words[0].equals("poll")) {
      answer = client.poll(readOwn(), readKey("device.key"), subject, new TransactionId(words[3].getBytes("UTF-8")));
      finish(answer, "device.key");
      return;
    }
    KeyPairGenerator maker = KeyPairGenerator.getInstance("RSA");
    maker.initialize(2048);
    KeyPair keys = maker.generateKeyPair();
    JcaPKCS10CertificationRequestBuilder request = new JcaPKCS10CertificationRequestBuilder(subject, keys.getPublic());
    ExtensionsGenerator extensions = new ExtensionsGenerator();
    extensions.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName(GeneralName.dNSName, name)));
    request.addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extensions.generate());
    if (words[0].equals("enrol"))
      request.addAttribute(PKCSObjectIdentifiers.pkcs_9_at_challengePassword, new DERPrintableString(words[3]));
    var csr = request.build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate()));
    if (words[0].equals("enrol")) {
      X509Certificate own = selfSigned(keys, name);
      write("device.key", keys.getPrivate());
      write("own.crt", own);
      finish(client.enrol(own, keys.getPrivate(), csr), "device.key");
    } else {
      write("next.key", keys.getPrivate());
      finish(client.enrol(readCertificate("device.crt"), readKey("device.key"), csr), "next.key");
    }
  }

  static void finish(EnrollmentResponse answer, String keyFile) throws Exception {
    if (answer.isFailure()) throw new Exception("refused: " + answer.getFailInfo());
    if (answer.isPending()) {
      System.out.println("pending " + answer.getTransactionId());
      return;
    }
    CertStore store = answer.getCertStore();
    for (Certificate one : store.getCertificates(null))
      if (((X509Certificate) one).getBasicConstraints() < 0) write(keyFile.replace(".key", ".crt"), one);
    System.out.println("issued");
  }

  static X509Certificate selfSigned(KeyPair keys, String name) throws Exception {
    X500Name subject = new X500Name("CN=" + name);
    Date now = new Date();
    var builder = new JcaX509v3CertificateBuilder(subject, BigInteger.ONE, now, new Date(now.getTime() + 86_400_000L), subject, keys.getPublic());
    return new JcaX509CertificateConverter().getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
  }

  static void write(String file, Object content) throws Exception {
    try (JcaPEMWriter writer = new JcaPEMWriter(new FileWriter(file))) {
      writer.writeObject(content);
    }
  }

  static X509Certificate readOwn() throws Exception {
    return readCertificate("own.crt");
  }

  static X509Certificate readCertificate(String file) throws Exception {
    return (X509Certificate) java.security.cert.CertificateFactory.getInstance("X.509").generateCertificate(Files.newInputStream(Path.of(file)));
  }

  static PrivateKey readKey(String file) throws Exception {
    try (PEMParser parser = new PEMParser(new FileReader(file))) {
      Object read = parser.readObject();
      JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
      return read instanceof org.bouncycastle.openssl.PEMKeyPair pair
          ? converter.getKeyPair(pair).getPrivate()
          : converter.getPrivateKey((org.bouncycastle.asn1.pkcs.PrivateKeyInfo) read);
    }
  }
}
