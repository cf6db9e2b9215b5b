// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A foreign peer on JeroMQ, which is libzmq's protocol written again in Java. It obeys the commands of
// ../peer_program.hpp that do not need a STREAM socket.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

import zmq.Ctx;
import zmq.Msg;
import zmq.SocketBase;
import zmq.ZMQ;

public final class JeromqPeer {
    private static final int PATIENCE_MS = 20000;
    private static final Map<String, Integer> TYPES = Map.ofEntries(Map.entry("PAIR", ZMQ.ZMQ_PAIR),
        Map.entry("PUB", ZMQ.ZMQ_PUB), Map.entry("SUB", ZMQ.ZMQ_SUB), Map.entry("REQ", ZMQ.ZMQ_REQ),
        Map.entry("REP", ZMQ.ZMQ_REP), Map.entry("DEALER", ZMQ.ZMQ_DEALER), Map.entry("ROUTER", ZMQ.ZMQ_ROUTER),
        Map.entry("PULL", ZMQ.ZMQ_PULL), Map.entry("PUSH", ZMQ.ZMQ_PUSH), Map.entry("XPUB", ZMQ.ZMQ_XPUB),
        Map.entry("XSUB", ZMQ.ZMQ_XSUB));

    private final Ctx context = ZMQ.createContext();
    private final SocketBase socket;
    private List<byte[]> envelope = List.of();
    private ZapHandler handler;

    private JeromqPeer(String type)
    {
        socket = ZMQ.socket(context, TYPES.get(type));
        set(ZMQ.ZMQ_RCVTIMEO, PATIENCE_MS);
        set(ZMQ.ZMQ_SNDTIMEO, PATIENCE_MS);
        set(ZMQ.ZMQ_LINGER, 0);
    }

    public static void main(String[] arguments) throws Exception
    {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.ISO_8859_1);
        JeromqPeer peer = new JeromqPeer(arguments[0]);
        for (String line = readLine(); line != null; line = readLine()) {
            String answer;
            try {
                answer = "ok " + peer.obey(new Scanner(line));
            }
            catch (Exception | AssertionError error) {
                answer = "failed " + line.substring(0, Math.min(80, line.length())) + ": " + error;
            }
            out.print(answer + "\n");
            out.flush();
        }
        peer.close();
    }

    // Without a buffer, so that System.in.available() tells whether a command waits.
    private static String readLine() throws IOException
    {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
            if (c == -1) return null;
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    private void close() throws InterruptedException
    {
        ZMQ.close(socket);
        if (handler != null) handler.finish();
        ZMQ.term(context);
    }

    private String obey(Scanner words) throws Exception
    {
        switch (words.next()) {
        case "library":
            return "jeromq " + version();
        case "set":
            set(words.nextInt(), words.nextInt());
            return "";
        case "text":
            text(words.nextInt(), words.hasNext() ? words.next() : "");
            return "";
        case "bind":
            check(ZMQ.bind(socket, words.next()), "bind");
            return (String) ZMQ.getSocketOptionExt(socket, ZMQ.ZMQ_LAST_ENDPOINT);
        case "connect":
            check(ZMQ.connect(socket, words.next()), "connect");
            return "";
        case "unbind":
            check(ZMQ.unbind(socket, words.next()), "unbind");
            return "";
        case "disconnect":
            check(ZMQ.disconnect(socket, words.next()), "disconnect");
            return "";
        case "envelope":
            envelope = rest(words);
            return "";
        case "send":
            seeded(words, true);
            return "";
        case "recv":
            seeded(words, false);
            return "";
        case "run":
            return run(words);
        case "flood":
            return flood(words);
        case "echo":
            for (long left = words.nextLong(); left > 0; --left) send(receive(), 0);
            return "";
        case "post":
            send(rest(words), 0);
            return "";
        case "take":
            return shown(receive());
        case "until":
            return until(words);
        case "publish":
            return publish(rest(words));
        case "zap":
            handler = new ZapHandler(context, words.next(), words.next());
            return "";
        case "asked":
            return shown(handler.asked());
        default:
            throw new IllegalArgumentException("no such command");
        }
    }

    // JeroMQ tells the version of the protocol alone; the jar's name has its own.
    private static String version()
    {
        String jar = ZMQ.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return jar.replaceAll(".*jeromq-|\\.jar$", "");
    }

    private void set(int option, int value)
    {
        // The one option that has another number.
        int number = option == 39 ? ZMQ.ZMQ_IMMEDIATE : option;
        Object boxed = option == ZMQ.ZMQ_MAXMSGSIZE ? (Object) (long) value : (Object) value;
        check(ZMQ.setSocketOption(socket, number, boxed), "option " + option);
    }

    private void text(int option, String value)
    {
        boolean plainText = option >= ZMQ.ZMQ_PLAIN_USERNAME && option <= ZMQ.ZMQ_CURVE_SERVERKEY
            || option == ZMQ.ZMQ_ZAP_DOMAIN;
        Object given = plainText ? (Object) value : (Object) bytes(value);
        check(ZMQ.setSocketOption(socket, option, given), "option " + option);
    }

    private void check(boolean good, String what)
    {
        if (!good) throw new IllegalStateException(what + ": " + ZMQ.strerror(socket.errno()));
    }

    private boolean send(List<byte[]> frames, int flags)
    {
        for (int i = 0; i < frames.size(); ++i) {
            int more = i + 1 < frames.size() ? ZMQ.ZMQ_SNDMORE : 0;
            if (ZMQ.send(socket, new Msg(frames.get(i)), flags | more) < 0) {
                if (i == 0 && flags != 0) return false;
                check(false, "send of frame " + i);
            }
        }
        return true;
    }

    private List<byte[]> receive()
    {
        List<byte[]> frames = new ArrayList<>();
        while (true) {
            Msg frame = ZMQ.recv(socket, 0);
            check(frame != null, "receive");
            frames.add(frame.data());
            if (!frame.hasMore()) return frames;
        }
    }

    private void seeded(Scanner words, boolean sending)
    {
        long seed = words.nextLong();
        long first = words.nextLong();
        long count = words.nextLong();
        int[] sizes = sizes(words);
        for (long number = first; number < first + count; ++number) {
            List<byte[]> body = Seeded.message(seed, number, sizes);
            if (sending) {
                send(sealed(body), 0);
            }
            else {
                expect(body, opened(receive()), number);
            }
        }
    }

    private String run(Scanner words)
    {
        long seed = words.nextLong();
        long last = words.nextLong();
        int[] sizes = sizes(words);
        long first = -1;
        long number = -1;
        long count = 0;
        while (number != last) {
            List<byte[]> frames = opened(receive());
            long before = number;
            number = Seeded.number(frames.get(0));
            expect(Seeded.message(seed, number, sizes), frames, number);
            if (number <= before) throw new IllegalStateException(number + " after " + before);
            if (count++ == 0) first = number;
        }
        return first + " " + count;
    }

    private String flood(Scanner words) throws InterruptedException
    {
        long seed = words.nextLong();
        int[] sizes = sizes(words);
        long count = 0;
        for (int idle = 0; idle < 20;) {
            if (send(sealed(Seeded.message(seed, count, sizes)), ZMQ.ZMQ_DONTWAIT)) {
                ++count;
                idle = 0;
            }
            else {
                ++idle;
                Thread.sleep(10);
            }
        }
        return Long.toString(count);
    }

    private String until(Scanner words)
    {
        String prefix = latin(bytes(words.next()));
        String forbidden = words.hasNext() ? words.next() : "";
        while (true) {
            List<byte[]> frames = receive();
            String first = latin(frames.get(0));
            if (!forbidden.isEmpty() && first.startsWith(forbidden)) {
                throw new IllegalStateException("unwanted message: " + shown(frames));
            }
            if (first.startsWith(prefix)) return shown(frames);
        }
    }

    private String publish(List<byte[]> topics) throws Exception
    {
        long number = 0;
        while (System.in.available() == 0) {
            for (int burst = 0; burst < 10; ++burst) {
                for (byte[] topic : topics) {
                    send(List.of((latin(topic) + " " + number).getBytes(StandardCharsets.ISO_8859_1)), 0);
                }
                ++number;
            }
            Thread.sleep(1);
        }
        return Long.toString(number);
    }

    private List<byte[]> sealed(List<byte[]> body)
    {
        List<byte[]> frames = new ArrayList<>(envelope);
        frames.addAll(body);
        return frames;
    }

    private List<byte[]> opened(List<byte[]> frames)
    {
        for (int i = 0; i < envelope.size(); ++i) {
            if (i >= frames.size() || !Arrays.equals(envelope.get(i), frames.get(i))) {
                throw new IllegalStateException("a message without the envelope: " + shown(frames));
            }
        }
        return frames.subList(envelope.size(), frames.size());
    }

    private static void expect(List<byte[]> wanted, List<byte[]> got, long number)
    {
        boolean same = wanted.size() == got.size();
        for (int i = 0; same && i < wanted.size(); ++i) same = Arrays.equals(wanted.get(i), got.get(i));
        if (same) return;
        StringBuilder text = new StringBuilder("wrong content instead of message " + number + ": frames of");
        for (byte[] frame : got) text.append(' ').append(frame.length);
        throw new IllegalStateException(text.toString());
    }

    private static int[] sizes(Scanner words)
    {
        return Arrays.stream(words.next().split(",")).mapToInt(Integer::parseInt).toArray();
    }

    private static List<byte[]> rest(Scanner words)
    {
        List<byte[]> frames = new ArrayList<>();
        while (words.hasNext()) {
            String word = words.next();
            frames.add(word.equals("-") ? new byte[0] : bytes(word));
        }
        return frames;
    }

    // \xNN stands for any byte.
    private static byte[] bytes(String text)
    {
        ByteArrayOutputStream found = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); ++i) {
            if (text.startsWith("\\x", i)) {
                found.write(Integer.parseInt(text.substring(i + 2, i + 4), 16));
                i += 3;
            }
            else {
                found.write(text.charAt(i));
            }
        }
        return found.toByteArray();
    }

    private static String latin(byte[] text)
    {
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    static String shown(List<byte[]> frames)
    {
        List<String> words = new ArrayList<>();
        for (byte[] frame : frames) {
            StringBuilder word = new StringBuilder(frame.length == 0 ? "-" : "");
            for (int i = 0; i < Math.min(100, frame.length); ++i) {
                char c = (char) (frame[i] & 0xFF);
                word.append(c > ' ' && c <= '~' && c != '\\' ? String.valueOf(c) : String.format("\\x%02x", (int) c));
            }
            words.add(word.toString());
        }
        return String.join(" ", words);
    }

    // ../seeded_content.hpp in Java.
    private static final class Seeded {
        static List<byte[]> message(long seed, long number, int[] sizes)
        {
            List<byte[]> frames = new ArrayList<>();
            for (int part = 0; part < sizes.length; ++part) frames.add(frame(sizes[part], seed, number, part));
            return frames;
        }

        static byte[] frame(int size, long seed, long number, long part)
        {
            byte[] bytes = new byte[size];
            long state = (seed + 1) * 0x9E3779B97F4A7C15L ^ (number + 1) * 0xC2B2AE3D27D4EB4FL ^ part << 56;
            int at = 0;
            if (part == 0 && size >= 8) {
                put(bytes, 0, number);
                at = 8;
            }
            for (; at < size; at += 8) {
                state = state * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
                put(bytes, at, state ^ (state >>> 29));
            }
            return bytes;
        }

        // Little endian, as far as there is room.
        private static void put(byte[] bytes, int at, long word)
        {
            for (int i = 0; i < 8 && at + i < bytes.length; ++i) bytes[at + i] = (byte) (word >>> 8 * i);
        }

        static long number(byte[] frame)
        {
            long number = 0;
            for (int i = 7; i >= 0; --i) number = number << 8 | frame[i] & 0xFF;
            return number;
        }
    }

    // ../zap_answers.hpp in Java: answers every request of ZAP (RFC 27) in the same way.
    private static final class ZapHandler {
        private final SocketBase socket;
        private final Thread thread;
        private final List<byte[]> reply;
        private List<byte[]> asked = List.of();
        private volatile boolean over;

        ZapHandler(Ctx context, String status, String user)
        {
            socket = ZMQ.socket(context, ZMQ.ZMQ_REP);
            ZMQ.setSocketOption(socket, ZMQ.ZMQ_RCVTIMEO, 50);
            ZMQ.setSocketOption(socket, ZMQ.ZMQ_LINGER, 0);
            reply = List.of(bytes("1.0"), bytes("1"), bytes(status), bytes(""), bytes(user), bytes(""));
            if (!ZMQ.bind(socket, "inproc://zeromq.zap.01")) throw new IllegalStateException("a handler is there");
            thread = new Thread(this::answer);
            thread.start();
        }

        synchronized List<byte[]> asked()
        {
            return asked;
        }

        void finish() throws InterruptedException
        {
            over = true;
            thread.join();
        }

        private void answer()
        {
            while (!over) {
                Msg frame = ZMQ.recv(socket, 0);
                if (frame == null) continue;
                List<byte[]> request = new ArrayList<>(List.of(frame.data()));
                while (frame.hasMore()) {
                    frame = ZMQ.recv(socket, 0);
                    request.add(frame.data());
                }
                synchronized (this) {
                    asked = request;
                }
                for (int i = 0; i < reply.size(); ++i) {
                    ZMQ.send(socket, new Msg(reply.get(i)), i + 1 < reply.size() ? ZMQ.ZMQ_SNDMORE : 0);
                }
            }
            ZMQ.close(socket);
        }
    }
}
