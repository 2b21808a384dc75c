package home.heating;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Keeps a room at a temperature. */
public final class Thermostat {
    private static final double STEP = 0.5;

    private final List<Double> readings = new ArrayList<>();
    private double target = 20.0;
    private boolean heating;
    private Instant since = Instant.EPOCH;

    public void read(double celsius, Instant now) {
        readings.add(celsius);
        if (readings.size() > 32) {
            readings.remove(0);
        }
        update(celsius, now);
    }

    public void raise(Instant now) {
        target = target + STEP;
        double last = average();
        System.out.println("target " + target + " °C");
        update(last, now);
    }

    public void lower(Instant now) {
        target = target - STEP;
        double last = average();
        System.out.println("target " + target + " °C");
        update(last, now);
    }

    private void update(double celsius, Instant now) {
        boolean wanted = celsius < target;
        if (wanted != heating) {
            heating = wanted;
            since = now;
        }
    }

    public double average() {
        double sum = 0;
        for (double reading : readings) {
            sum += reading;
        }
        return readings.isEmpty() ? target : sum / readings.size();
    }

    public Duration heatingFor(Instant now) {
        if (!heating) {
            return Duration.ZERO;
        }
        Duration passed = Duration.between(since, now);
        return passed;
    }
}
